--- neo-tree.nvim, whatever its source.
---@type claude_bridge.Explorer
local M = {}

---@return table? state
local function state()
  local found = require('neo-tree.sources.manager').get_state_for_window()
  return found and found.tree and found or nil
end

--- Symbols and messages have nodes too.
---@param node? table
---@return claude_bridge.Entry?
local function entry_of(node)
  if node and (node.type == 'file' or node.type == 'directory') then
    return { path = node.path or node:get_id() }
  end
end

function M.marked()
  local here, entries = state(), {}
  -- Versions without marks have no such field.
  for id in vim.spairs(here and here.selected or {}) do
    entries[#entries + 1] = entry_of(here.tree:get_node(id))
  end
  return entries
end

function M.at(row)
  local here = state()
  return here and entry_of(here.tree:get_node(row))
end

return M
