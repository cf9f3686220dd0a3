--- Finds the windows for a review and opens them. Nothing here fires an autocommand: plugins hear
--- of the review when the focus moves, and none can stop it half-way.
local M = {}

local quietly = require('claude_bridge.review.quietly')
local window_state = require('claude_bridge.review.window_state')

---@alias claude_bridge.LeftKind
---| 'shown' the window showed the file already
---| 'borrowed' the window shows another buffer of the user's at other times
---| 'made' the window is the review's

---@class claude_bridge.ReviewLayout
---@field tabpage integer
---@field own_tabpage boolean
---@field from_tabpage integer
---@field left? integer
---@field left_kind? claude_bridge.LeftKind
---@field right? integer
---@field before? claude_bridge.WindowState of a left window that is the user's
---@field entered? claude_bridge.WindowState of a left window with the original in it, before the diff
---@field sizes claude_bridge.Sizes before the review
---@field others integer[] the user's windows besides the left one
---@field others_measured string? their sizes with the review on screen
---@field others_closing string? their sizes when the first window of the review was closed
---@field left_diff_ended? boolean the left window, if it is the user's, is out of diff mode
---@field is_inline boolean one window, `right`, shows both sides
---@field to_cover? integer the user's window in whose place an inline review will be
---@field covered? integer that window while it is hidden
---@field uncovered? integer that window when it is shown again
---@field is_cover_gone? boolean that window was closed while it was hidden
---@field spot? claude_bridge.WindowSpot where the review's window was
---@field came_from claude_bridge.ReviewPlace[] where the focus goes back to, best first
---@field had_focus? boolean the focus was in the review when its window was closed

---@param window integer
---@return boolean
local function takes_files(window)
  local buffer = vim.bo[vim.api.nvim_win_get_buf(window)]
  local options = vim.wo[window]
  return buffer.buftype == ''
    and (buffer.bufhidden == '' or buffer.bufhidden == 'hide')
    and not options.winfixbuf
    and not options.previewwindow
    and not options.diff
end

---@param windows integer[]
---@return integer? the one with the largest area
local function largest(windows)
  local best, area = nil, 0
  for _, window in ipairs(windows) do
    local size = vim.api.nvim_win_get_width(window) * vim.api.nvim_win_get_height(window)
    if size > area then
      best, area = window, size
    end
  end
  return best
end

--- A window of the user's for the original. One that has to keep the focus gets no other buffer:
--- the user is typing in it.
---@param original integer
---@param keep_focus boolean
---@return integer? window
---@return claude_bridge.LeftKind kind
local function users_window(original, keep_focus)
  local windows = window_state.tiled(0)
  local current = vim.api.nvim_get_current_win()
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  local likely = vim.list_extend({ current, previous }, windows)
  likely = vim.tbl_filter(function(window)
    return vim.tbl_contains(windows, window)
  end, likely)
  for _, window in ipairs(likely) do
    if vim.api.nvim_win_get_buf(window) == original then
      return window, 'shown'
    end
  end
  local free = vim.tbl_filter(function(window)
    return takes_files(window) and not (keep_focus and window == current)
  end, likely)
  for _, window in ipairs(free) do
    if window == current or window == previous then
      return window, 'borrowed'
    end
  end
  return largest(free), 'borrowed'
end

--- A new window must not inherit what makes its neighbour special.
---@param window integer
local function make_plain(window)
  for _, name in ipairs({ 'winfixbuf', 'winfixwidth', 'winfixheight', 'previewwindow' }) do
    vim.api.nvim_set_option_value(name, false, { win = window, scope = 'local' })
  end
end

--- Splits a window. With a size of its own a split moves no other window, whatever 'equalalways'.
---@param buffer integer
---@param beside integer
---@param side 'left'|'right'|'above'|'below'
---@param share number of the room that the new window gets
---@return integer window
local function split(buffer, beside, side, share)
  local config = { win = beside, split = side }
  if side == 'left' or side == 'right' then
    config.width = math.max(1, math.floor((vim.api.nvim_win_get_width(beside) - 1) * share))
  else
    config.height = math.max(1, math.floor((vim.api.nvim_win_get_height(beside) - 1) * share))
  end
  local window = window_state.unfixed(beside, function()
    return vim.api.nvim_open_win(buffer, false, config)
  end)
  if window == 0 then
    error('there is no room for another window', 0)
  end
  make_plain(window)
  return window
end

---@param layout claude_bridge.ReviewLayout
---@param original integer
---@param keep_focus boolean
local function place_left(layout, original, keep_focus)
  local window, kind = users_window(original, keep_focus)
  if not window then
    local beside = assert(largest(window_state.tiled(0)))
    layout.left = split(original, beside, 'above', 0.6)
    layout.left_kind = 'made'
    return
  end
  layout.left, layout.left_kind = window, kind
  layout.before = window_state.save(window, kind == 'shown')
  if kind == 'borrowed' then
    window_state.swap_buffer(window, original)
    layout.entered = window_state.save(window, true)
  end
end

--- Opens a tabpage with a buffer. The focus stays.
---@param layout claude_bridge.ReviewLayout
---@param buffer integer
---@return integer window
local function open_tabpage(layout, buffer)
  local from = vim.api.nvim_get_current_win()
  local visual = vim.fn.mode():match('^[vV\22sS\19]')
  -- Not `:sbuffer`, which 'switchbuf' may send to a window that shows the buffer already.
  vim.cmd('tab split')
  layout.tabpage = vim.api.nvim_get_current_tabpage()
  local window = vim.api.nvim_get_current_win()
  make_plain(window)
  window_state.swap_buffer(window, buffer)
  vim.api.nvim_set_current_win(from)
  if visual then
    vim.cmd('normal! gv' .. (visual:match('[sS\19]') and '\7' or ''))
  end
  return window
end

---@param layout claude_bridge.ReviewLayout
---@param beside? integer a window of the review's
local function set_others(layout, beside)
  layout.others = vim.tbl_filter(function(window)
    return window ~= beside
  end, layout.sizes.windows)
  layout.others_measured = window_state.measure(layout.others)
end

---@param layout claude_bridge.ReviewLayout
---@param proposal integer
---@param is_horizontal boolean
local function place_right(layout, proposal, is_horizontal)
  layout.right = split(proposal, layout.left, is_horizontal and 'below' or 'right', 0.5)
  window_state.copy_look(layout.left, layout.right)
  for _, window in ipairs({ layout.left, layout.right }) do
    vim.api.nvim_win_call(window, function()
      vim.cmd('diffthis')
    end)
  end
  set_others(layout, layout.left)
end

--- One window, in the place of a window of the user's. One that has to keep the focus stays, and so
--- does one that shows no file: the review's window is beside it then.
---@param layout claude_bridge.ReviewLayout
---@param review claude_bridge.Review
---@param keep_focus boolean
local function place_inline(layout, review, keep_focus)
  local proposal = review.proposal.buffer
  local users = users_window(review.original.buffer, keep_focus)
  if not users then
    layout.right = split(proposal, assert(largest(window_state.tiled(0))), 'above', 0.6)
  elseif keep_focus and users == vim.api.nvim_get_current_win() then
    layout.right = split(proposal, users, 'below', 0.5)
  else
    require('claude_bridge.review.cover').prepare(layout, users, function(side)
      return split(proposal, users, side, 0.5)
    end)
  end
  -- Where the user sees the file it goes on to look as it did.
  if users and vim.api.nvim_win_get_buf(users) == review.original.buffer then
    window_state.copy_look(users, layout.right)
  end
  set_others(layout, layout.to_cover)
end

--- Whether the window of an inline review is here. One that is decided counts until it is gone: the
--- window that it hides comes back beside it.
---@return boolean
local function has_inline_review()
  local tabpage = vim.api.nvim_get_current_tabpage()
  return vim
    .iter(vim.tbl_values(require('claude_bridge.review.state').reviews))
    :any(function(review)
      local layout = review.layout
      return layout ~= nil and layout.is_inline and layout.tabpage == tabpage
    end)
end

---@return boolean
local function has_diff()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.wo[window].diff then
      return true
    end
  end
  return false
end

--- Opens the windows. The focus stays; `remove.lua` takes away as much as `layout` tells.
---@param layout claude_bridge.ReviewLayout filled as the windows open
---@param review claude_bridge.Review
---@param options { layout: string, keep_focus: boolean }
local function open_windows(layout, review, options)
  if layout.is_inline then
    layout.left_kind = 'made'
    if layout.own_tabpage then
      layout.right = open_tabpage(layout, review.proposal.buffer)
    else
      place_inline(layout, review, options.keep_focus)
    end
    return
  end
  if layout.own_tabpage then
    layout.left, layout.left_kind = open_tabpage(layout, review.original.buffer), 'made'
  else
    place_left(layout, review.original.buffer, options.keep_focus)
  end
  place_right(layout, review.proposal.buffer, options.layout == 'horizontal')
end

---@param own_tabpage boolean
---@param is_inline boolean
---@param came_from claude_bridge.ReviewPlace[]
---@return claude_bridge.ReviewLayout
local function new_layout(own_tabpage, is_inline, came_from)
  local tabpage = vim.api.nvim_get_current_tabpage()
  return {
    tabpage = tabpage,
    from_tabpage = tabpage,
    own_tabpage = own_tabpage,
    is_inline = is_inline,
    sizes = window_state.save_sizes(tabpage),
    others = {},
    came_from = came_from,
  }
end

--- Opens the windows of a review: in this tabpage, or in one of its own where this one shows
--- another diff already or lacks the room.
---@param review claude_bridge.Review its `layout` is set
---@param options { layout: string, keep_focus: boolean, came_from: claude_bridge.ReviewPlace[] }
function M.open(review, options)
  local is_inline = options.layout == 'inline'
  local own_tabpage = options.layout == 'tab'
    or (is_inline and has_inline_review() or not is_inline and has_diff())
  require('claude_bridge.review.scrollopt').save()
  review.layout = new_layout(own_tabpage, is_inline, options.came_from)
  quietly.run(function()
    local done, message = pcall(open_windows, review.layout, review, options)
    if done then
      return
    end
    if own_tabpage or not tostring(message):find('E36') then
      error(message, 0)
    end
    require('claude_bridge.review.remove').windows(review)
    review.layout = new_layout(true, is_inline, options.came_from)
    open_windows(review.layout, review, options)
  end)
end

return M
