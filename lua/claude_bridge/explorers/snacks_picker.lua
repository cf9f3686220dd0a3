--- The pickers and the explorer of snacks.nvim.
---@type claude_bridge.Explorer
local M = {}

--- The picker in one of whose windows the user is.
---@return table?
local function picker()
  return vim.iter(require('snacks').picker.get()):find(function(one)
    return one:is_focused()
  end)
end

--- Items of a search tell their place by `pos`, 1-based, and the text of the line; in other lists
--- `pos` is only where the cursor was.
---@param item? table
---@return claude_bridge.Entry?
local function entry_of(item)
  local path = item and require('snacks').picker.util.path(item)
  if not path then
    return nil
  end
  local line = item.line and item.pos and item.pos[1] - 1 or -1
  if line < 0 then
    return { path = path }
  end
  return { path = path, first = line, last = line }
end

function M.marked()
  local here, entries = picker(), {}
  for _, item in ipairs(here and here:selected() or {}) do
    entries[#entries + 1] = entry_of(item)
  end
  return entries
end

function M.at(row)
  local here = picker()
  if not here then
    return nil
  elseif vim.bo.filetype == 'snacks_picker_input' then
    return entry_of(here:current())
  end
  return entry_of(here.list:get(here.list:row2idx(row)))
end

return M
