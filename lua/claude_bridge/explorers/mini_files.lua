--- mini.files.
---@type claude_bridge.Explorer
local M = {}

function M.at(row)
  local entry = require('mini.files').get_fs_entry(0, row)
  return entry and { path = entry.path }
end

return M
