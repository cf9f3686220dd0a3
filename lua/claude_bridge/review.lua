--- Reviews of proposed edits: shown on the node side's request, decided by the user.
local M = {}

local state = require('claude_bridge.review.state')

---@class claude_bridge.ReviewParams
---@field id string
---@field old_path string
---@field new_path string
---@field title string
---@field editable boolean
---@field keeps_line_ends boolean the agent gives a file with CR LF its line ends again
---@field text claude_bridge.ProposedText

---@class claude_bridge.ReviewOpenParams: claude_bridge.ReviewParams
---@field lines string[] the last lines of the proposal; earlier ones came by `fill`
---@field layout 'vertical'|'horizontal'|'tab'|'inline'
---@field focus boolean
---@field jump boolean

---@param message string
local function tell(message, level)
  require('claude_bridge.ui').notify({ level = level or 'info', message = message })
end

---@param event 'Opened'|'Accepted'|'Rejected'|'Closed'
---@param review claude_bridge.Review
local function emit(event, review)
  require('claude_bridge.session').emit('Review' .. event, {
    id = review.id,
    path = review.path,
    title = review.title,
  })
end

---@param review claude_bridge.Review
---@return claude_bridge.ViewText? nil where the user changed nothing
local function edited_text(review)
  local proposal = require('claude_bridge.review.proposal')
  if not vim.api.nvim_buf_is_loaded(review.proposal.buffer) then
    return review.unloaded
  end
  require('claude_bridge.review.traits').follow(review.proposal)
  return proposal.is_touched(review.proposal) and proposal.read(review.proposal.buffer) or nil
end

--- Takes a settled review off the screen.
---@param review claude_bridge.Review
---@param event 'Accepted'|'Rejected'|'Closed'
local function finish(review, event)
  require('claude_bridge.review.view').hide(review, function()
    state.reviews[review.id] = nil
    require('claude_bridge.review.quietly').run(function()
      require('claude_bridge.review.scrollopt').restore(next(state.reviews) == nil)
    end)
    require('claude_bridge.review.watch').stop_if_idle()
    emit(event, review)
  end)
end

--- Keeps what the user had typed into a proposal that is not accepted.
---@param review claude_bridge.Review
---@param why string
---@param always boolean tell the user also where there is no text to keep
local function keep_text(review, why, always)
  local text = edited_text(review)
  local name = vim.fs.basename(review.path)
  if text then
    require('claude_bridge.review.recall').keep(review.path, text)
    tell(('%s: %s; your text is kept (:ClaudeDiffRecall)'):format(name, why))
  elseif always then
    tell(('%s: %s'):format(name, why))
  end
end

---@param review claude_bridge.Review
---@return boolean heard
local function accept(review)
  local text = edited_text(review)
  local wire = text and require('claude_bridge.review.proposal').to_wire(text)
  local event = { kind = 'review_accepted', id = review.id, text = wire }
  if not require('claude_bridge.channel').notify(event) then
    tell('the bridge does not run: nobody would hear of it', 'error')
    return false
  end
  review.settled = 'accepted'
  vim.schedule(function()
    finish(review, 'Accepted')
  end)
  return true
end

---@param review claude_bridge.Review
---@param reason? string for the agent
---@param notice? string for the user: why, where no command of theirs says it
local function reject(review, reason, notice)
  local event = { kind = 'review_rejected', id = review.id, reason = reason }
  require('claude_bridge.channel').notify(event)
  review.settled = 'rejected'
  keep_text(review, notice and 'rejected, since ' .. notice or 'rejected', notice ~= nil)
  vim.schedule(function()
    finish(review, 'Rejected')
  end)
end

local actions = {
  accept = accept,
  reject = function(review, notice)
    reject(review, nil, notice)
  end,
  keep = function(review)
    review.unloaded = edited_text(review)
  end,
}

--- Runs a step of opening without autocommands. A failure leaves nothing behind.
---@param id string
---@param step fun()
local function guarded(id, step)
  local done, problem = pcall(step)
  if done then
    return
  end
  local review = state.reviews[id]
  if review then
    review.settled = 'closed'
    pcall(finish, review, 'Closed')
  end
  -- Where the text may not change now, it may in a moment.
  if type(problem) == 'string' and problem:find('E565') then
    problem = { code = 'expired', message = problem }
  end
  error(problem, 0)
end

--- A node process that follows one that died counts from 1 again, and a view of the one before may
--- wait until it can be taken away.
---@param id string
local function refuse_leaving(id)
  local review = state.reviews[id]
  if review and review.settled then
    error({ code = 'expired', message = 'an earlier review of this id has not left yet' }, 0)
  end
end

---@param p claude_bridge.ReviewParams
---@return claude_bridge.Review
local function prepared(p)
  local review = state.reviews[p.id]
  if review then
    return review
  end
  -- A buffer that is behind its file would be compared with the wrong text.
  require('claude_bridge.reload').reload({ paths = { p.old_path } })
  review = require('claude_bridge.review.quietly').run(function()
    local original = require('claude_bridge.review.original').of(p.old_path, p.id)
    local form = require('claude_bridge.review.line_ends').form(p.text.ends, original.format)
    if form.shows_original then
      original = require('claude_bridge.review.original').with_line_ends(original, p.id)
    end
    local proposal = require('claude_bridge.review.proposal').create(p.id, p.new_path, p.text, form)
    return {
      id = p.id,
      title = p.title,
      path = p.new_path,
      opened_at = os.time(),
      keeps_line_ends = p.keeps_line_ends,
      original = original,
      proposal = proposal,
    }
  end)
  state.reviews[p.id] = review
  return review
end

---@param p claude_bridge.ReviewOpenParams
local function show(p)
  local proposal = require('claude_bridge.review.proposal')
  local review = prepared(p)
  require('claude_bridge.review.quietly').run(function()
    proposal.fill(review.proposal, p.lines, true)
    proposal.seal(review.proposal, review.original, p.editable)
  end)
  require('claude_bridge.review.colours').apply(review)
  require('claude_bridge.review.view').show(review, p)
  require('claude_bridge.review.watch').start(review, actions)
  emit('Opened', review)
end

--- Shows a proposal beside its file. Asked again for the same review, does nothing.
---@param p claude_bridge.ReviewOpenParams
function M.open(p)
  refuse_leaving(p.id)
  local review = state.reviews[p.id]
  if review and review.layout then
    return
  end
  if not require('claude_bridge.review.view').can_change_windows() then
    error({ code = 'expired', message = 'the command-line window is open' }, 0)
  end
  guarded(p.id, function()
    show(p)
  end)
end

--- Makes the hidden buffers of a review whose text comes in slices.
---@param p claude_bridge.ReviewParams
function M.prepare(p)
  refuse_leaving(p.id)
  guarded(p.id, function()
    prepared(p)
  end)
end

--- Adds a slice of text to a prepared review. More follows, if only by `open`. A slice that comes
--- again, since the first time took too long, is not added twice.
---@param p { id: string, index: integer, lines: string[] } `index` is 0-based
function M.fill(p)
  local review = state.reviews[p.id]
  if not review then
    error({ code = 'not-found', message = 'no such review is prepared' }, 0)
  end
  if p.index < review.proposal.slices then
    return
  end
  guarded(p.id, function()
    require('claude_bridge.review.proposal').fill(review.proposal, p.lines, false)
  end)
end

--- The proposal as it stands; nil where the user changed nothing.
---@param p { id: string }
---@return claude_bridge.WireText?
function M.text(p)
  local review = state.reviews[p.id]
  local text = review and review.layout and edited_text(review)
  return text and require('claude_bridge.review.proposal').to_wire(text) or nil
end

--- Ends a review from the agent's side. Unknown and settled ones are no error.
---@param p { id: string, ['end']: string }
function M.close(p)
  local review = state.reviews[p.id]
  if not review or review.settled then
    return
  end
  review.settled = 'closed'
  if review.layout and p['end'] ~= 'accepted' then
    keep_text(review, 'the review has ended', false)
  end
  finish(review, 'Closed')
end

--- Ends all reviews, as when the bridge is gone.
---@param reason string
function M.close_all(reason)
  for _, id in ipairs(vim.tbl_keys(state.reviews)) do
    M.close({ id = id, ['end'] = reason })
  end
end

--- Accepts the proposal as it stands. Works from any window; asks where it is not clear which.
function M.accept()
  require('claude_bridge.review.pick').one('Accept which edit?', accept)
end

--- Accepts every pending proposal as it stands.
function M.accept_all()
  require('claude_bridge.review.pick').all(accept)
end

--- Rejects every pending proposal.
---@param reason? string for the agents
function M.reject_all(reason)
  require('claude_bridge.review.pick').all(function(review)
    reject(review, reason)
    return true
  end)
end

--- Accepts what the proposal changes in some lines of the current buffer, and nothing else of it.
---@param first integer 1-based
---@param last integer inclusive
function M.accept_lines(first, last)
  local review = require('claude_bridge.review.hunk_commands').keep_only(first, last)
  if review then
    accept(review)
  end
end

--- Rejects the proposal.
---@param reason? string for the agent
function M.reject(reason)
  require('claude_bridge.review.pick').one('Reject which edit?', function(review)
    reject(review, reason)
  end)
end

---@class claude_bridge.PendingReview
---@field id string
---@field path string
---@field title string
---@field tabpage integer
---@field edited boolean
---@field opened_at integer seconds since the epoch

--- The reviews that wait, the oldest first.
---@return claude_bridge.PendingReview[]
function M.list()
  return vim.tbl_map(function(review)
    return {
      id = review.id,
      path = review.path,
      title = review.title,
      tabpage = review.layout.tabpage,
      edited = require('claude_bridge.review.proposal').is_touched(review.proposal),
      opened_at = review.opened_at,
    }
  end, state.pending())
end

---@param review claude_bridge.Review
local function go_to(review)
  local window = vim.fn.win_findbuf(review.proposal.buffer)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  end
end

--- Goes to a pending review; without an id to the only one, or to the one that the user chooses.
---@param id? string
function M.jump(id)
  local review = id and state.reviews[id]
  if review and state.is_pending(review) then
    go_to(review)
    return
  end
  local pending = state.pending()
  if #pending > 1 then
    require('claude_bridge.review.pick').ask(pending, 'Go to which edit?', go_to)
  else
    require('claude_bridge.review.pick').one('', go_to)
  end
end

--- Brings back the text of a proposal that the user had edited and that was not accepted.
function M.recall()
  require('claude_bridge.review.recall').recall()
end

return M
