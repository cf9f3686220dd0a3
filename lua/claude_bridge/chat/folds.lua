--- Folds of tool calls, thoughts and diffs. They are manual ones: expressions are not evaluated
--- while the user is in Insert mode, which is where an agent is mostly waited for.
local M = {}

local api = vim.api

---@param item claude_bridge.ChatItem
---@return boolean
local function stands(item)
  local ranges = item:fold_ranges()
  local whole = ranges[#ranges]
  -- Text at the end of a fold does not grow the fold in every version.
  return vim.fn.foldlevel(whole[1]) > 0
    and vim.fn.foldlevel(whole[2]) > 0
    and (#ranges == 1 or vim.fn.foldlevel(ranges[1][1]) > 1)
end

--- In the current window: makes the folds of one entry, closed the first time, else as they were.
---@param item claude_bridge.ChatItem
---@param open boolean
local function make(item, open)
  local ranges = item:fold_ranges()
  local whole = ranges[#ranges]
  if vim.fn.foldlevel(whole[1]) > 0 then
    open = vim.fn.foldclosed(whole[1]) == -1
    api.nvim_win_set_cursor(0, { whole[1], 0 })
    vim.cmd('silent! normal! zD')
  end
  for index, range in ipairs(ranges) do
    vim.cmd(('%d,%dfold'):format(range[1], range[2]))
    if index < #ranges then
      vim.cmd(('%dfoldopen'):format(range[1]))
    end
  end
  if open then
    vim.cmd(('%dfoldopen'):format(whole[1]))
  end
end

---@param items claude_bridge.ChatItem[]
local function update(items)
  -- The user may have chosen another way of folding.
  if vim.wo.foldmethod ~= 'manual' then
    return
  end
  local view
  for _, item in ipairs(items) do
    if not stands(item) then
      view = view or vim.fn.winsaveview()
      make(item, item.open or false)
    end
  end
  if view then
    vim.fn.winrestview(view)
  end
end

local function is_visual(window)
  return window == api.nvim_get_current_win() and vim.fn.mode():match('[vV\22sS\19]') ~= nil
end

--- Makes folds right in all windows of the buffer.
---@param buffer integer
---@param items claude_bridge.ChatItem[]
---@return boolean done false: to be tried again
function M.update(buffer, items)
  local done = true
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    -- The commands for folds would work on the selection.
    done = not is_visual(window)
      and pcall(api.nvim_win_call, window, function()
        update(items)
      end)
      and done
  end
  return done
end

--- Makes all folds anew in a window that has come to show the buffer.
---@param window integer
---@param items claude_bridge.ChatItem[]
function M.renew(window, items)
  api.nvim_win_call(window, function()
    vim.cmd('silent! normal! zE')
    update(items)
  end)
end

--- Remembers what is open, for the next window.
---@param window integer
---@param items claude_bridge.ChatItem[]
function M.remember(window, items)
  api.nvim_win_call(window, function()
    for _, item in ipairs(items) do
      local line = item:row() + 1
      item.open = vim.fn.foldlevel(line) > 0 and vim.fn.foldclosed(line) == -1
    end
  end)
end

return M
