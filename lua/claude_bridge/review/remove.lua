--- Takes the windows and buffers of a review away and puts back what was there.
local M = {}

local quietly = require('claude_bridge.review.quietly')
local window_state = require('claude_bridge.review.window_state')
local is_open = window_state.is_open

---@param review claude_bridge.Review
---@return boolean
local function has_focus(review)
  local current = vim.api.nvim_get_current_win()
  return current == review.layout.left
    or current == review.layout.right
    or vim.api.nvim_win_get_buf(current) == review.proposal.buffer
end

--- Another window of the same tabpage that shows the proposal.
---@param review claude_bridge.Review
---@param window integer
---@return integer?
local function second_view(review, window)
  local tabpage = vim.api.nvim_win_get_tabpage(window)
  return vim.iter(vim.fn.win_findbuf(review.proposal.buffer)):find(function(other)
    return other ~= window and vim.api.nvim_win_get_tabpage(other) == tabpage
  end)
end

--- Whether the user is in the middle of something in the window of the file, which stays.
---@param layout claude_bridge.ReviewLayout
---@return boolean
local function works_in_file(layout)
  return layout.left_kind == 'shown'
    and vim.api.nvim_get_current_win() == layout.left
    and (vim.fn.mode(1) ~= 'n' or require('claude_bridge.busy').is_mid_command())
end

--- To be called before a window closes: afterwards the others may have other sizes.
---@param review claude_bridge.Review
---@param window integer
function M.before_close(review, window)
  local layout = review.layout
  if not layout or (window ~= layout.left and window ~= layout.right) then
    return
  end
  -- The user has split the one window of the review, and it goes on in the other half.
  local second = layout.is_inline and second_view(review, window)
  if second then
    layout.right = second
    return
  end
  layout.others_closing = layout.others_closing or window_state.measure(layout.others)
  layout.had_focus = layout.had_focus or has_focus(review)
  if window == layout.right then
    require('claude_bridge.review.cover').before_close(layout)
  end
end

--- To be called after the focus has moved: 'winwidth' and the like give the window that it has come
--- to room that others lose, which is no doing of the user's.
---@param review claude_bridge.Review
function M.measure_others(review)
  local layout = review.layout
  if layout and not layout.others_closing then
    layout.others_measured = window_state.measure(layout.others)
  end
end

--- Whether the user has left the sizes of the windows beside the review as they were.
---@param review claude_bridge.Review
---@return boolean
function M.are_others_untouched(review)
  local layout = review.layout
  return layout ~= nil and window_state.measure(layout.others) == layout.others_measured
end

--- Closes a window without giving its room to all others ('equalalways').
---@param window integer
local function close(window)
  local row = vim.api.nvim_win_get_position(window)[1]
  local tabpage = vim.api.nvim_win_get_tabpage(window)
  local has_neighbour = vim.iter(window_state.tiled(tabpage)):any(function(other)
    return other ~= window and vim.api.nvim_win_get_position(other)[1] == row
  end)
  quietly.with_option('eadirection', has_neighbour and 'ver' or 'hor', function()
    quietly.insist(function()
      require('claude_bridge.close_window')(window)
    end, function()
      return not is_open(window)
    end)
  end)
end

---@param window integer
---@return boolean
local function is_last(window)
  local tabpage = vim.api.nvim_win_get_tabpage(window)
  return #window_state.tiled(tabpage) == 1 and #vim.api.nvim_list_tabpages() == 1
end

--- What Neovim would show in the place of a buffer that the user has deleted.
---@return integer?
local function last_used()
  local listed = vim.fn.getbufinfo({ buflisted = 1, bufloaded = 1 })
  table.sort(listed, function(a, b)
    return a.lastused > b.lastused
  end)
  return listed[1] and listed[1].bufnr
end

--- Where nothing else is on screen the user gets back what the review stood in for.
---@param window integer
---@param layout claude_bridge.ReviewLayout
local function give_back(window, layout)
  local state = layout.before
  vim.api.nvim_win_call(window, function()
    vim.cmd('diffoff | setlocal winbar<')
  end)
  if state and vim.api.nvim_buf_is_loaded(state.buffer) then
    window_state.swap_buffer(window, state.buffer)
    window_state.restore_options(window, state)
    window_state.restore_view(window, state)
    return
  end
  local other = layout.came_from[1].buffer
  local shown = vim.api.nvim_buf_is_loaded(other) and other or last_used()
  if shown then
    window_state.swap_buffer(window, shown)
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
  if window == review.layout.right then
    M.before_close(review, window)
  end
  if not is_last(window) then
    return
  end
  local substitute = vim.api.nvim_open_win(review.proposal.buffer, false, {
    win = window,
    split = 'above',
  })
  give_back(substitute, review.layout)
end

--- Whether the window of an inline review has to be the user's one again: that was closed while it
--- was hidden, and its text is still there.
---@param layout claude_bridge.ReviewLayout
---@return boolean
local function stands_in(layout)
  return layout.is_cover_gone == true
    and layout.before ~= nil
    and vim.api.nvim_buf_is_loaded(layout.before.buffer)
end

---@param review claude_bridge.Review
local function close_right(review)
  local layout = review.layout
  -- Neovim has put another buffer into the review's window, in the place of a wiped one.
  if is_open(layout.uncovered) and is_open(layout.right) and not is_last(layout.right) then
    close(layout.right)
  end
  for _, window in ipairs(vim.fn.win_findbuf(review.proposal.buffer)) do
    if is_last(window) or (window == layout.right and stands_in(layout)) then
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
  -- Once: later the folds are the user's own.
  if not layout.left_diff_ended then
    window_state.leave_diff(window)
    layout.left_diff_ended = true
  end
  if layout.entered then
    window_state.restore_options(window, layout.entered)
    -- Neovim remembers for each buffer where its cursor was last.
    window_state.restore_view(window, layout.entered)
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
  if is_open(layout.left) then
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

--- Gives the user's own left window back before the focus goes there.
---@param review claude_bridge.Review
local function give_left_back(review)
  local buffer = vim.api.nvim_get_current_buf()
  quietly.run(function()
    restore_left(review)
  end)
  if vim.api.nvim_get_current_buf() ~= buffer then
    quietly.tell('BufEnter')
  end
end

--- Shows the window of the user's that an inline review had covered.
---@param review claude_bridge.Review
local function give_place_back(review)
  local cover = require('claude_bridge.review.cover')
  cover.uncover(review.layout)
  cover.hand_over(review.layout, review.proposal.buffer)
end

--- Steps that run commands of Normal mode in the user's window: in Select mode these would be typed
--- over what is selected.
---@param step fun()
local function outside_select_mode(step)
  local toggle = '\7'
  local selects = vim.fn.mode():find('^[sS\19]') ~= nil
  if selects then
    vim.cmd('normal! ' .. toggle)
  end
  local done, problem = pcall(step)
  if selects and vim.fn.mode():find('^[vV\22]') then
    vim.cmd('normal! ' .. toggle)
  end
  if not done then
    error(problem, 0)
  end
end

---@param review claude_bridge.Review
local function take_away(review)
  local layout = review.layout
  if works_in_file(layout) then
    layout.had_focus = false
    layout.before.view = vim.fn.winsaveview()
  else
    layout.had_focus = layout.had_focus or has_focus(review)
  end
  if layout.had_focus and vim.fn.mode():find('^[iR]') then
    vim.cmd.stopinsert()
  end
  layout.others_closing = layout.others_closing or window_state.measure(layout.others)
  if layout.left_kind ~= 'made' then
    give_left_back(review)
  end
  if layout.is_inline then
    give_place_back(review)
  end
  local way_back = require('claude_bridge.review.way_back')
  local back = layout.had_focus and way_back.find(layout.came_from) or nil
  if back then
    pcall(vim.api.nvim_set_current_win, back.window)
  end
  close_right(review)
  if layout.left_kind == 'made' then
    close_left(review)
  end
  quietly.run(function()
    if back then
      way_back.restore_previous(back)
    end
    restore_sizes(layout)
    -- Scrolled again by what the sizes did to it.
    local users = layout.left or layout.uncovered
    if layout.before and is_open(users) then
      window_state.restore_view(users, layout.before)
    end
  end)
  if back and back.mode == 't' and vim.bo.buftype == 'terminal' then
    vim.cmd.startinsert()
  end
end

--- Takes the windows away. Each step may run again after one that failed.
---@param review claude_bridge.Review
function M.windows(review)
  if review.layout then
    outside_select_mode(function()
      quietly.keep_cursors(function()
        take_away(review)
      end)
    end)
  end
end

--- Wipes what the review had made.
---@param review claude_bridge.Review
function M.buffers(review)
  local made = { review.proposal and review.proposal.buffer }
  if review.original and review.original.owned then
    table.insert(made, review.original.buffer)
  end
  -- An error in someone's autocommand would leave a buffer that nothing can wipe any more.
  quietly.run(function()
    for _, buffer in pairs(made) do
      if vim.api.nvim_buf_is_valid(buffer) then
        pcall(vim.api.nvim_buf_delete, buffer, { force = true })
      end
    end
  end)
end

return M
