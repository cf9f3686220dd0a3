--- The window of an inline review stands where a window of the user's was. That one waits, hidden
--- and otherwise as it was, and is back before the review's window closes, whoever closes it.
local M = {}

local quietly = require('claude_bridge.review.quietly')
local window_state = require('claude_bridge.review.window_state')
local is_open = window_state.is_open
local spot = require('claude_bridge.review.spot')

--- Runs a step in which windows are split above one another, without evening out the heights of
--- all others ('equalalways').
---@param step fun()
local function without_evening_out(step)
  quietly.run(function()
    quietly.with_option('eadirection', 'hor', step)
  end)
end

--- On which side of a window the one has to be that gets its room when it goes.
---@return 'above'|'below'
local function heir()
  return vim.o.splitbelow and 'above' or 'below'
end

--- Opens the review's window beside the user's, so that the focus can move there as usual.
---@param layout claude_bridge.ReviewLayout
---@param window integer the user's
---@param split fun(side: 'above'|'below'): integer
function M.prepare(layout, window, split)
  layout.before = window_state.save(window, false)
  without_evening_out(function()
    layout.right = split(heir())
  end)
  layout.to_cover = window
end

--- Hides the user's window; its place is the review's then. One that has the focus stays.
---@param layout claude_bridge.ReviewLayout
function M.complete(layout)
  local window = layout.to_cover
  layout.to_cover = nil
  if not (is_open(window) and is_open(layout.right)) then
    return
  end
  if vim.api.nvim_get_current_win() == window then
    return
  end
  without_evening_out(function()
    vim.api.nvim_win_set_config(window, {
      -- Neovim 0.10 would look for the window beside which this one was split, which may be gone.
      relative = 'win',
      win = layout.right,
      row = 0,
      col = 0,
      width = vim.api.nvim_win_get_width(window),
      height = vim.api.nvim_win_get_height(window),
      border = 'none',
      focusable = false,
      hide = true,
    })
    layout.covered = window
    -- The review's window has the number now that the hidden one had.
    vim.api.nvim_win_call(layout.right, function()
      vim.cmd(layout.sizes.command)
    end)
  end)
end

--- Shows the user's window again, beside the review's, which is to close next, or where that was.
---@param layout claude_bridge.ReviewLayout
function M.uncover(layout)
  local window = layout.covered
  layout.covered = nil
  if not is_open(window) then
    layout.is_cover_gone = layout.is_cover_gone or window ~= nil
    return
  end
  -- The review's window may have closed, or float now.
  local tiled = window_state.tiled(vim.api.nvim_win_get_tabpage(window))
  local beside, side = layout.right, heir()
  if not vim.tbl_contains(tiled, beside) then
    beside, side = spot.find(layout.spot, tiled, side)
  end
  without_evening_out(function()
    vim.api.nvim_win_call(beside > 0 and beside or tiled[1], function()
      vim.api.nvim_win_set_config(window, { win = beside, split = side })
    end)
  end)
  layout.uncovered = window
end

--- The review's window is about to close. A command of another window may be one that closes all
--- windows but that one: it has to find the user's where it is, and the rest is for later.
---@param layout claude_bridge.ReviewLayout
function M.before_close(layout)
  if vim.api.nvim_get_current_win() == layout.right then
    M.uncover(layout)
  else
    layout.spot = spot.of(layout.right)
  end
end

--- The user has put another buffer into the review's window: it goes into the window that is there
--- again.
---@param layout claude_bridge.ReviewLayout
---@param proposal integer
function M.hand_over(layout, proposal)
  local from, to = layout.right, layout.uncovered
  if not (is_open(from) and is_open(to)) then
    return
  end
  local buffer = vim.api.nvim_win_get_buf(from)
  -- Where the proposal was wiped or unloaded it was Neovim that chose another.
  if buffer == proposal or not vim.api.nvim_buf_is_loaded(proposal) then
    return
  end
  local view = vim.api.nvim_win_call(from, vim.fn.winsaveview)
  if pcall(vim.api.nvim_win_set_buf, to, buffer) then
    vim.api.nvim_win_call(to, function()
      vim.fn.winrestview(view)
    end)
  end
end

return M
