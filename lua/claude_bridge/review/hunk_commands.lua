--- What the user does with single changes of a review: take one back, leave one and go on, go to
--- the next, accept some and not the others.
local M = {}

local hunks = require('claude_bridge.review.hunks')
local state = require('claude_bridge.review.state')

---@param message string
local function tell(message)
  require('claude_bridge.ui').notify({ level = 'info', message = message })
end

--- Where the cursor is.
---@class claude_bridge.HunkPlace
---@field review claude_bridge.Review
---@field side claude_bridge.ReviewSide
---@field comparison claude_bridge.Comparison

--- The review of which the current window shows a side; tells the user where there is none.
---@return claude_bridge.HunkPlace?
local function here()
  local buffer = vim.api.nvim_get_current_buf()
  local review = state.of_proposal(buffer) or state.of_window(vim.api.nvim_get_current_win())
  local function shows(candidate)
    return candidate.proposal.buffer == buffer or candidate.original.buffer == buffer
  end
  if not (review and shows(review)) then
    review = vim.iter(state.pending()):find(shows)
  end
  if not (review and state.is_pending(review)) then
    tell('the cursor is in no review; :ClaudeDiffs goes to one')
    return nil
  end
  return {
    review = review,
    side = review.proposal.buffer == buffer and 'proposal' or 'original',
    comparison = hunks.compare(review),
  }
end

---@param place claude_bridge.HunkPlace
---@return claude_bridge.Hunk?
local function at_cursor(place)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local hunk = hunks.at(place.comparison.hunks, line, place.side)
  if not hunk then
    tell('no change at the cursor; :ClaudeHunkNext goes to one')
  end
  return hunk
end

---@param place claude_bridge.HunkPlace
---@param hunk claude_bridge.Hunk
---@return integer line 1-based
local function line_of(place, hunk)
  return hunks.line_of(hunk[place.side], vim.api.nvim_buf_line_count(0))
end

---@param place claude_bridge.HunkPlace
---@param line integer 1-based
local function go_to(place, line)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.cmd('normal! ^zv')
  -- What was removed stands above it.
  if vim.fn.line('w0') == line then
    vim.cmd('normal! zz')
    if place.review.layout.is_inline and place.side == 'proposal' then
      require('claude_bridge.review.inline_marks').show_above(0)
    end
  end
end

---@param place claude_bridge.HunkPlace
---@param step 1|-1
---@param count integer
---@return boolean moved
local function move(place, step, count)
  local here_line = vim.api.nvim_win_get_cursor(0)[1]
  local lines = vim.tbl_map(function(hunk)
    return line_of(place, hunk)
  end, place.comparison.hunks)
  local beyond = vim.tbl_filter(function(line)
    return (line - here_line) * step > 0
  end, lines)
  if #beyond == 0 then
    return false
  end
  local index = math.min(count, #beyond)
  go_to(place, beyond[step == 1 and index or #beyond + 1 - index])
  return true
end

---@param place claude_bridge.HunkPlace
---@return boolean
local function is_editable(place)
  local editable = vim.bo[place.review.proposal.buffer].modifiable
  if not editable then
    tell('this agent takes its proposal only as it is: accept or reject the whole')
  end
  return editable
end

--- Takes changes back: the text of the original is there again.
---@param place claude_bridge.HunkPlace
---@param taken claude_bridge.Hunk[]
local function take_back(place, taken)
  hunks.take_back(place.review, place.comparison, taken)
  require('claude_bridge.review.view').update_title(place.review)
  if place.side == 'proposal' then
    local last = vim.api.nvim_buf_line_count(0)
    local line = math.max(1, math.min(taken[1].proposal.start, last))
    vim.api.nvim_win_set_cursor(0, { line, 0 })
  end
  if #taken == #place.comparison.hunks then
    tell('nothing is left of the edit; :q rejects it')
  end
end

--- Takes the change at the cursor back.
function M.reject()
  local place = here()
  local hunk = place and is_editable(place) and at_cursor(place)
  if place and hunk then
    take_back(place, { hunk })
  end
end

--- Takes every change in some lines of the current buffer back.
---@param first integer 1-based
---@param last integer inclusive
function M.reject_lines(first, last)
  local place = here()
  if not (place and is_editable(place)) then
    return
  end
  local taken = vim.tbl_filter(function(hunk)
    return hunks.touches(hunk, place.side, first, last)
  end, place.comparison.hunks)
  if #taken == 0 then
    tell('no change in these lines')
  else
    take_back(place, taken)
  end
end

--- Leaves the change at the cursor as it is and goes to the next.
function M.accept()
  local place = here()
  local hunk = place and at_cursor(place)
  if not (place and hunk) then
    return
  end
  -- From the end of a long change the next one is the next one.
  local range = hunk[place.side]
  local last = vim.api.nvim_buf_line_count(0)
  local end_of_hunk = math.max(1, math.min(range.start + math.max(0, range.count - 1), last))
  local next_hunk = vim.iter(place.comparison.hunks):find(function(other)
    return other[place.side].start > range.start and line_of(place, other) >= end_of_hunk
  end)
  if next_hunk then
    go_to(place, line_of(place, next_hunk))
  else
    tell('no change below this one; :w accepts the edit as it stands')
  end
end

---@param step 1|-1
---@param count integer
local function go(step, count)
  local place = here()
  if place and not move(place, step, count) then
    tell(step == 1 and 'no change below' or 'no change above')
  end
end

---@param count integer
function M.next(count)
  go(1, count)
end

---@param count integer
function M.previous(count)
  go(-1, count)
end

--- Takes back every change that has nothing to do with these lines of the current buffer.
---@param first integer 1-based
---@param last integer inclusive
---@return claude_bridge.Review? review with what is left; nil where nothing was done
function M.keep_only(first, last)
  local place = here()
  if not (place and is_editable(place)) then
    return nil
  end
  local others = vim.tbl_filter(function(hunk)
    return not hunks.touches(hunk, place.side, first, last)
  end, place.comparison.hunks)
  if #others == #place.comparison.hunks then
    tell('no change in these lines; :ClaudeDiffReject rejects the edit')
    return nil
  end
  hunks.take_back(place.review, place.comparison, others)
  return place.review
end

return M
