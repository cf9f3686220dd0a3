--- Lists of files that other plugins and Neovim show: what an entry stands for.
---
--- A list is known by its filetype alone: a file may well lie in a folder called `neo-tree`. Each
--- module is loaded only where its list is on screen, and so where its plugin is.
local M = {}

---@class claude_bridge.Entry
---@field path string absolute; what is no file of this machine is passed over by the caller
---@field first? integer line, 0-based
---@field last? integer line, 0-based, inclusive

---@class claude_bridge.Explorer
---@field marked? fun(): claude_bridge.Entry[] what the user has marked; these go before the entry at the cursor
---@field at fun(row: integer, is_alone: boolean): claude_bridge.Entry? what the row of the current window shows, 1-based; `is_alone`: no other is asked for

---@type table<string, string> filetype -> module
local modules = {
  NvimTree = 'nvim_tree',
  ['neo-tree'] = 'neo_tree',
  minifiles = 'mini_files',
  netrw = 'netrw',
  oil = 'oil',
  qf = 'quickfix',
  snacks_picker_input = 'snacks_picker',
  snacks_picker_list = 'snacks_picker',
}

--- Whether the current buffer is such a list.
---@return boolean
function M.is_here()
  return modules[vim.bo.filetype] ~= nil
end

---@param entry claude_bridge.Entry
---@return string
local function key_of(entry)
  return ('%s\n%s\n%s'):format(entry.path, entry.first, entry.last)
end

--- What the rows of the current window show; without rows what is marked, else the row at the
--- cursor. Each entry once.
---@param rows? { first: integer, last: integer } 0-based
---@return claude_bridge.Entry[]
function M.entries(rows)
  ---@type claude_bridge.Explorer
  local explorer = require('claude_bridge.explorers.' .. modules[vim.bo.filetype])
  local found = not rows and explorer.marked and explorer.marked() or {}
  if #found == 0 then
    local cursor = vim.api.nvim_win_get_cursor(0)[1] - 1
    local first, last = rows and rows.first or cursor, rows and rows.last or cursor
    for row = first, last do
      found[#found + 1] = explorer.at(row + 1, first == last)
    end
  end
  local seen, entries = {}, {}
  for _, entry in ipairs(found) do
    if not seen[key_of(entry)] then
      seen[key_of(entry)] = true
      entries[#entries + 1] = entry
    end
  end
  return entries
end

return M
