--- nvim-tree.lua.
---@type claude_bridge.Explorer
local M = {}

---@param node? { absolute_path?: string }
---@return claude_bridge.Entry?
local function entry_of(node)
  return node and node.absolute_path and { path = node.absolute_path } or nil
end

function M.marked()
  return vim.tbl_map(entry_of, require('nvim-tree.api').marks.list())
end

--- The plugin tells the node under the cursor and no other.
function M.at(row)
  local view = vim.fn.winsaveview()
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  local node = require('nvim-tree.api').tree.get_node_under_cursor()
  vim.fn.winrestview(view)
  return entry_of(node)
end

return M
