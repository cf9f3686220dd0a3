--- Takes the windows and buffers of a review away and puts back what was there.
local M = {}

local window_state = require('claude_bridge.review.window_state')

---@param window integer?
---@return boolean
local function is_open(window)
  return window ~= nil and vim.api.nvim_win_is_valid(window)
end

---@param review claude_bridge.Review
---@return boolean
local function has_focus(review)
  local current = vim.api.nvim_get_current_win()
  return current == review.layout.left
    or current == review.layout.right
    or vim.api.nvim_win_get_buf(current) == review.proposal.buffer
end

--- To be called before a window closes: afterwards the others may have other sizes.
---@param review claude_bridge.Review
---@param window integer
function M.before_close(review, window)
  local layout = review.layout
  if not layout or (window ~= layout.left and window ~= layout.right) then
    return
  end
  layout.others_closing = layout.others_closing or window_state.measure(layout.others)
  layout.had_focus = layout.had_focus or has_focus(review)
end

--- Closes a window without giving its room to all others ('equalalways').
---@param window integer
local function close(window)
  local eadirection = vim.o.eadirection
  local position = vim.api.nvim_win_get_position(window)
  local beside = vim.tbl_filter(function(other)
    return other ~= window and vim.api.nvim_win_get_position(other)[1] == position[1]
  end, vim.api.nvim_tabpage_list_wins(vim.api.nvim_win_get_tabpage(window)))
  vim.o.eadirection = #beside > 0 and 'ver' or 'hor'
  pcall(vim.api.nvim_win_close, window, true)
  vim.o.eadirection = eadirection
end

---@param window integer
---@return boolean
local function is_last(window)
  local tabpage = vim.api.nvim_win_get_tabpage(window)
  return #window_state.tiled(tabpage) == 1 and #vim.api.nvim_list_tabpages() == 1
end

--- Where nothing else is on screen the user gets back what the review stood in for.
---@param window integer
---@param layout claude_bridge.ReviewLayout
local function give_back(window, layout)
  local state = layout.before
  vim.api.nvim_win_call(window, function()
    vim.cmd('diffoff | setlocal winbar<')
  end)
  if state and vim.api.nvim_buf_is_valid(state.buffer) then
    window_state.swap_buffer(window, state.buffer)
    window_state.restore_options(window, state)
    window_state.restore_view(window, state)
  elseif vim.api.nvim_buf_is_valid(layout.came_from[1].buffer) then
    window_state.swap_buffer(window, layout.came_from[1].buffer)
  else
    vim.api.nvim_win_call(window, function()
      vim.cmd('noautocmd hide enew')
    end)
  end
end

--- Quitting the last window would end Neovim; a review's window is not the user's last one.
---@param review claude_bridge.Review
function M.keep_editor_open(review)
  local window = vim.api.nvim_get_current_win()
  if not is_last(window) then
    return
  end
  local substitute = vim.api.nvim_open_win(review.proposal.buffer, false, {
    win = window,
    split = 'above',
  })
  give_back(substitute, review.layout)
end

---@param review claude_bridge.Review
local function close_right(review)
  for _, window in ipairs(vim.fn.win_findbuf(review.proposal.buffer)) do
    if is_last(window) then
      give_back(window, review.layout)
    else
      close(window)
    end
  end
end

---@param review claude_bridge.Review
local function restore_left(review)
  local layout = review.layout
  local window, before = layout.left, layout.before
  if not is_open(window) then
    return
  end
  if layout.entered then
    window_state.restore_options(window, layout.entered)
  end
  local shows_original = vim.api.nvim_win_get_buf(window) == review.original.buffer
  if layout.left_kind == 'borrowed' and shows_original then
    if vim.api.nvim_buf_is_valid(before.buffer) then
      window_state.swap_buffer(window, before.buffer)
    end
  end
  window_state.restore_options(window, before)
  window_state.restore_view(window, before)
end

---@param review claude_bridge.Review
local function close_left(review)
  local layout = review.layout
  if layout.left_kind ~= 'made' then
    restore_left(review)
  elseif is_open(layout.left) then
    if vim.api.nvim_win_get_buf(layout.left) ~= review.original.buffer then
      -- The user has put another file there.
      vim.api.nvim_win_call(layout.left, function()
        vim.cmd('diffoff | setlocal winbar<')
      end)
    elseif is_last(layout.left) then
      give_back(layout.left, layout)
    else
      close(layout.left)
    end
  end
end

---@param layout claude_bridge.ReviewLayout
local function restore_sizes(layout)
  local tabpage = layout.from_tabpage
  if not vim.api.nvim_tabpage_is_valid(tabpage) then
    return
  end
  local now = layout.others_closing or window_state.measure(layout.others)
  if now == layout.others_measured then
    window_state.restore_sizes(tabpage, layout.sizes)
  end
end

--- Diff mode adds "hor" to 'scrollopt' and, when the last diff of a tabpage goes, takes it away,
--- although diffs in other tabpages need it.
---@param layout claude_bridge.ReviewLayout
local function restore_scrollopt(layout)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.wo[window].diff then
      vim.opt.scrollopt:append('hor')
      return
    end
  end
  if vim.o.scrollopt:gsub(',hor', '') == layout.scrollopt:gsub(',hor', '') then
    vim.o.scrollopt = layout.scrollopt
  end
end

---@param layout claude_bridge.ReviewLayout
local function restore_focus(layout)
  for _, place in ipairs(layout.came_from) do
    if is_open(place.window) then
      pcall(vim.api.nvim_set_current_win, place.window)
      if place.mode == 't' and vim.bo.buftype == 'terminal' then
        vim.cmd.startinsert()
      end
      return
    end
  end
end

--- Takes the windows away. Each step may run again after one that failed.
---@param review claude_bridge.Review
function M.windows(review)
  local layout = review.layout
  if not layout then
    return
  end
  local focus = layout.had_focus or has_focus(review)
  layout.had_focus = focus
  if focus and vim.fn.mode():find('^[iR]') then
    vim.cmd.stopinsert()
  end
  layout.others_closing = layout.others_closing or window_state.measure(layout.others)
  close_right(review)
  close_left(review)
  restore_sizes(layout)
  restore_scrollopt(layout)
  if focus then
    restore_focus(layout)
  end
end

--- Wipes what the review had made.
---@param review claude_bridge.Review
function M.buffers(review)
  local made = { review.proposal and review.proposal.buffer }
  if review.original and review.original.owned then
    table.insert(made, review.original.buffer)
  end
  for _, buffer in pairs(made) do
    if vim.api.nvim_buf_is_valid(buffer) then
      pcall(vim.api.nvim_buf_delete, buffer, { force = true })
    end
  end
end

return M
