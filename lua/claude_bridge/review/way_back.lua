--- Where the focus was before a review, and goes back to.
local M = {}

local is_open = require('claude_bridge.review.window_state').is_open

---@class claude_bridge.ReviewPlace
---@field window integer
---@field buffer integer
---@field mode string
---@field previous? integer the window that <C-w>p went to
---@field previous_tabpage? integer the one that g<Tab> went to

--- Where the user is now. From inside another review, which may be gone by then, also where that one
--- would have sent the focus.
---@param mode string
---@return claude_bridge.ReviewPlace[] best first
function M.places(mode)
  local window = vim.api.nvim_get_current_win()
  local buffer = vim.api.nvim_win_get_buf(window)
  local previous, tabpage = vim.fn.winnr('#'), vim.fn.tabpagenr('#')
  local found = {
    {
      window = window,
      buffer = buffer,
      mode = mode,
      previous = previous > 0 and vim.fn.win_getid(previous) or nil,
      previous_tabpage = vim.api.nvim_list_tabpages()[tabpage],
    },
  }
  local other = require('claude_bridge.review.state').of_window(window)
  if other and other.layout then
    vim.list_extend(found, other.layout.came_from)
  end
  return found
end

--- The place that the focus goes back to: the first that is still there.
---@param places claude_bridge.ReviewPlace[] best first
---@return claude_bridge.ReviewPlace?
function M.find(places)
  return vim.iter(places):find(function(place)
    return is_open(place.window)
  end)
end

--- <C-w>p and g<Tab> go again where they went before the review.
---@param place claude_bridge.ReviewPlace
function M.restore_previous(place)
  if vim.api.nvim_get_current_win() ~= place.window then
    return
  end
  -- 'winwidth' and the like give a window room when the focus comes.
  local sizes = vim.fn.winrestcmd()
  if place.previous_tabpage and vim.api.nvim_tabpage_is_valid(place.previous_tabpage) then
    vim.api.nvim_set_current_tabpage(place.previous_tabpage)
    vim.api.nvim_set_current_win(place.window)
  end
  local here = vim.api.nvim_get_current_tabpage()
  if is_open(place.previous) and vim.api.nvim_win_get_tabpage(place.previous) == here then
    vim.api.nvim_set_current_win(place.previous)
    vim.api.nvim_set_current_win(place.window)
  end
  vim.cmd(sizes)
end

return M
