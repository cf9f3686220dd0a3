--- oil.nvim. Its folders on other machines and in the trash have no path here.
---@type claude_bridge.Explorer
local M = {}

function M.at(row)
  local oil = require('oil')
  local folder = oil.get_current_dir(0)
  local entry = folder and oil.get_entry_on_line(0, row)
  -- An entry may have been renamed without saving: `name` is what is on disk.
  if entry and entry.name ~= '..' then
    return { path = vim.fs.joinpath(folder, entry.name) }
  end
end

return M
