--- Both sides of a review in one window: the proposal, to be edited, with what it changes marked in
--- it and what it removes shown between its lines. Follows every change of either side.
local M = {}

local hunks = require('claude_bridge.review.hunks')
local marks = require('claude_bridge.review.inline_marks')
local state = require('claude_bridge.review.state')

--- Larger texts are compared when the user pauses: it takes longer than a key may.
local LARGE_BYTES = 200000
local PAUSE_MS = 150

--- Options on which it depends how removed lines are cut into rows.
local ROW_OPTIONS = {
  'foldcolumn',
  'number',
  'numberwidth',
  'relativenumber',
  'signcolumn',
  'statuscolumn',
  'tabstop',
  'wrap',
}

---@param buffer integer
---@return integer
local function bytes(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return 0
  end
  return math.max(0, vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer)))
end

---@param review claude_bridge.Review
---@return boolean
local function is_shown(review)
  return review.settled == nil
    and state.reviews[review.id] == review
    and vim.api.nvim_buf_is_loaded(review.proposal.buffer)
end

--- Marks the differences of now.
---@param review claude_bridge.Review
function M.update(review)
  if is_shown(review) then
    marks.draw(review, hunks.compare(review))
  end
end

--- Runs a step of the drawing. A `<C-c>` of the user's is meant for what they do; it ends a step that
--- is under way all the same, and what is drawn by then is drawn anew.
---@param review claude_bridge.Review
---@param step fun()
function M.uninterrupted(review, step)
  local done, problem = pcall(step)
  if done then
    return
  end
  if not tostring(problem):find('Keyboard interrupt', 1, true) then
    error(problem, 0)
  end
  vim.defer_fn(function()
    M.uninterrupted(review, function()
      M.update(review)
    end)
  end, PAUSE_MS)
end

--- Marks them when the change that is under way is over; once for many.
---@param review claude_bridge.Review
local function update_soon(review)
  local inline = review.inline
  if inline.is_due then
    return
  end
  inline.is_due = true
  local function update()
    inline.is_due = false
    M.uninterrupted(review, function()
      M.update(review)
    end)
  end
  if bytes(review.proposal.buffer) + bytes(review.original.buffer) <= LARGE_BYTES then
    vim.schedule(update)
  else
    vim.defer_fn(update, PAUSE_MS)
  end
end

---@param review claude_bridge.Review
---@param side claude_bridge.ReviewSide
local function follow(review, side)
  local function changed()
    if not is_shown(review) then
      return true
    end
    update_soon(review)
  end
  vim.api.nvim_buf_attach(review[side].buffer, false, {
    on_lines = changed,
    on_reload = changed,
    on_detach = function()
      -- `:edit!` unloads a buffer and fills it again.
      vim.schedule(function()
        M.follow_again(review, side)
      end)
    end,
  })
end

--- Follows a buffer that was unloaded: now, or when it is loaded.
---@param review claude_bridge.Review
---@param side claude_bridge.ReviewSide
function M.follow_again(review, side)
  local buffer = review[side].buffer
  if not is_shown(review) or not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  if vim.api.nvim_buf_is_loaded(buffer) then
    follow(review, side)
    update_soon(review)
    return
  end
  require('claude_bridge.autocmd').create('BufReadPost', {
    group = vim.api.nvim_create_augroup('claude_bridge_review', { clear = false }),
    buffer = buffer,
    once = true,
    callback = vim.schedule_wrap(function()
      M.follow_again(review, side)
    end),
  })
end

--- The keys of diff mode, which this is not.
---@class claude_bridge.DiffKey
---@field modes string[]
---@field command 'next'|'previous'|'reject'
---@field desc string

---@type table<string, claude_bridge.DiffKey>
local KEYS = {
  [']c'] = { modes = { 'n', 'x', 'o' }, command = 'next', desc = 'Go to the next change' },
  ['[c'] = { modes = { 'n', 'x', 'o' }, command = 'previous', desc = 'Go to the change before' },
  ['do'] = { modes = { 'n' }, command = 'reject', desc = 'Take the change at the cursor back' },
}

---@param buffer integer
local function map_keys(buffer)
  for keys, key in pairs(KEYS) do
    vim.keymap.set(key.modes, keys, function()
      if vim.wo.diff then
        -- The user compares the proposal with something else.
        local count = vim.v.count > 0 and vim.v.count or ''
        pcall(vim.cmd.normal, { count .. keys, bang = true })
      else
        require('claude_bridge.review.hunk_commands')[key.command](vim.v.count1)
      end
    end, { buffer = buffer, desc = key.desc })
  end
end

---@param review claude_bridge.Review
local function watch_windows(review)
  local group = vim.api.nvim_create_augroup('claude_bridge_review', { clear = false })
  local create = require('claude_bridge.autocmd').create
  create('WinScrolled', {
    group = group,
    callback = function()
      if is_shown(review) then
        marks.show_top(review, vim.v.event)
      end
    end,
  })
  local function update()
    if is_shown(review) then
      update_soon(review)
    end
  end
  create('WinResized', { group = group, callback = update })
  create('OptionSet', { group = group, pattern = ROW_OPTIONS, callback = update })
end

--- Begins to mark a review that has its window.
---@param review claude_bridge.Review
function M.start(review)
  review.inline = { is_due = false, drawing = 0 }
  marks.define()
  vim.api.nvim_set_option_value('foldenable', false, { win = review.layout.right, scope = 'local' })
  M.update(review)
  follow(review, 'proposal')
  follow(review, 'original')
  map_keys(review.proposal.buffer)
  watch_windows(review)
end

--- Puts the cursor of the review's window, which is current, on the first change.
---@param review claude_bridge.Review
function M.go_to_first(review)
  local comparison = hunks.compare(review)
  local first = comparison.hunks[1]
  if first then
    local last = vim.api.nvim_buf_line_count(review.proposal.buffer)
    vim.api.nvim_win_set_cursor(0, { hunks.line_of(first.proposal, last), 0 })
    marks.show_above(0)
  end
end

return M
