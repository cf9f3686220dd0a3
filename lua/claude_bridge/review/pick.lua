--- Which review a command means.
local M = {}

local state = require('claude_bridge.review.state')

--- How much of a changed line tells one edit of a file from another, in characters.
local SHOWN_CHARS = 40

--- Where an edit begins, and what is there: several may be for the same file.
---@param review claude_bridge.Review
---@return string
local function label(review)
  local name = vim.fn.fnamemodify(review.path, ':~:.')
  local hunks = require('claude_bridge.review.hunks')
  local comparison = hunks.compare(review)
  local hunk = comparison.hunks[1]
  if not hunk then
    return ('%s  %s'):format(name, review.title)
  end
  local new, old = comparison.proposal.lines, comparison.original.lines
  local line = hunks.line_of(hunk.proposal, #new)
  local text = hunk.proposal.count > 0 and '+' .. (new[hunk.proposal.start] or '')
    or '-' .. (old[hunk.original.start] or '')
  text = vim.fn.strcharpart((text:gsub('%s+', ' ')), 0, SHOWN_CHARS)
  return ('%s:%d  %s  %s'):format(name, line, text, review.title)
end

---@param reviews claude_bridge.Review[]
---@param prompt string
---@param act fun(review: claude_bridge.Review)
function M.ask(reviews, prompt, act)
  vim.ui.select(reviews, {
    prompt = prompt,
    format_item = label,
  }, function(review)
    -- It may have been decided while the question was open.
    if review and state.is_pending(review) then
      act(review)
    end
  end)
end

local function tell_that_none_waits()
  require('claude_bridge.ui').notify({ level = 'info', message = 'no edit waits for a review' })
end

---@return claude_bridge.Review?
local function obvious()
  local here = state.of_window(vim.api.nvim_get_current_win())
  if here and state.is_pending(here) then
    return here
  end
  local pending = state.pending()
  local tabpage = vim.api.nvim_get_current_tabpage()
  local in_tabpage = vim.tbl_filter(function(review)
    return review.layout.tabpage == tabpage
  end, pending)
  if #in_tabpage == 1 then
    return in_tabpage[1]
  end
  return #pending == 1 and pending[1] or nil
end

--- The review of the current window, else the only one of the tabpage, else the only one; else the
--- user is asked.
---@param prompt string
---@param act fun(review: claude_bridge.Review)
function M.one(prompt, act)
  local review = obvious()
  if review then
    act(review)
  elseif #state.pending() > 0 then
    M.ask(state.pending(), prompt, act)
  else
    tell_that_none_waits()
  end
end

--- All that wait, the oldest first, up to one for which it cannot be done.
---@param act fun(review: claude_bridge.Review): boolean done
function M.all(act)
  local pending = state.pending()
  vim.iter(pending):all(act)
  if #pending == 0 then
    tell_that_none_waits()
  end
end

return M
