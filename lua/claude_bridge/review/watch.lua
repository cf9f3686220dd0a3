--- Notices what the user does with a proposal: a write on purpose accepts, the last window gone
--- rejects. Decisions are taken in the event, windows are touched when the command is over.
local M = {}

local state = require('claude_bridge.review.state')

local GROUP = 'claude_bridge_review'

---@class claude_bridge.ReviewActions
---@field accept fun(review: claude_bridge.Review)
---@field reject fun(review: claude_bridge.Review, notice?: string)
---@field keep fun(review: claude_bridge.Review)

---@param review claude_bridge.Review
---@param actions claude_bridge.ReviewActions
local function reject_if_hidden(review, actions)
  local asked = review.quitting
  vim.schedule(function()
    if not state.is_pending(review) then
      return
    end
    if #vim.fn.win_findbuf(review.proposal.buffer) == 0 then
      actions.reject(review, not asked and 'its view was closed' or nil)
    end
  end)
end

---@param review claude_bridge.Review
---@param actions claude_bridge.ReviewActions
local function on_quit(review, actions)
  -- Also after `:wq` has accepted: the window is about to close.
  require('claude_bridge.review.remove').keep_editor_open(review)
  if review.settled then
    return
  end
  review.quitting = true
  vim.schedule(function()
    review.quitting = nil
  end)
  if require('claude_bridge.review.exit_command').is_running() then
    actions.accept(review)
  end
end

--- Whether another autocommand is what writes, as autosave does, and not the user.
---@return boolean
local function is_automatic()
  -- As Neovim names one in its stack, in the language of its messages.
  local name = vim.fn.gettext('%s Autocommands for "%s"'):match('%%s(.-)%%s')
  local _, autocommands = vim.fn.expand('<stack>'):gsub(vim.pesc(name or 'Autocommands for'), '')
  return autocommands > 1
end

---@param review claude_bridge.Review
---@param actions claude_bridge.ReviewActions
---@param event vim.api.keyset.create_autocmd.callback_args
local function on_write(review, actions, event)
  local own = event.match == review.proposal.name
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  require('claude_bridge.ui').guard(function()
    if own and review.guarded then
      error({ message = 'accept this edit with :w or reject it with :q first' }, 0)
    elseif own and event.event == 'BufWriteCmd' then
      actions.accept(review)
    elseif own then
      error({ message = 'to accept, write the whole proposal with :w' }, 0)
    else
      local mode = event.event == 'FileAppendCmd' and 'ab' or 'wb'
      require('claude_bridge.review.copy').write(review.proposal, event.match, mode, first, last)
    end
  end)
end

--- `:saveas` and `:file` give the buffer another name; it gets its own back.
---@param review claude_bridge.Review
local function on_renamed(review)
  vim.schedule(function()
    local proposal = review.proposal
    if not state.is_pending(review) or not vim.api.nvim_buf_is_valid(proposal.buffer) then
      return
    end
    local namesake = vim.fn.bufnr('^' .. vim.fn.escape(proposal.name, '\\*?[]{},^$~.') .. '$')
    if namesake > 0 and namesake ~= proposal.buffer then
      pcall(vim.api.nvim_buf_delete, namesake, { force = true })
    end
    pcall(vim.api.nvim_buf_set_name, proposal.buffer, proposal.name)
  end)
end

--- The text with which the proposal is compared outlives its buffer.
---@param review claude_bridge.Review
local function watch_original(review)
  local original = review.original
  require('claude_bridge.autocmd').create('BufUnload', {
    group = GROUP,
    buffer = original.buffer,
    callback = function()
      if review.settled then
        return
      end
      original.unloaded = require('claude_bridge.review.proposal').read(original.buffer)
    end,
  })
end

---@param review claude_bridge.Review
---@param actions claude_bridge.ReviewActions
local function watch_buffer(review, actions)
  local proposal = require('claude_bridge.review.proposal')
  local buffer = review.proposal.buffer
  local unloaded ---@type claude_bridge.ViewText?
  local function on(events, callback)
    -- A callback that returns true would be taken off.
    require('claude_bridge.autocmd').create(
      events,
      { group = GROUP, buffer = buffer, callback = callback }
    )
  end
  on({ 'BufWriteCmd', 'FileWriteCmd', 'FileAppendCmd' }, function(event)
    if not review.settled and not is_automatic() then
      on_write(review, actions, event)
    end
  end)
  on('QuitPre', function()
    on_quit(review, actions)
  end)
  on('BufUnload', function()
    unloaded = proposal.read(buffer)
    if not review.settled then
      actions.keep(review)
    end
  end)
  on('BufReadCmd', function()
    if unloaded then
      proposal.refill(review.proposal, unloaded)
    end
  end)
  on('BufFilePost', function()
    on_renamed(review)
  end)
  on({ 'TextChanged', 'InsertLeave' }, function()
    require('claude_bridge.review.traits').follow(review.proposal)
    require('claude_bridge.review.view').update_title(review)
  end)
  on({ 'BufWinLeave', 'BufHidden', 'BufUnload', 'BufWipeout' }, function()
    reject_if_hidden(review, actions)
  end)
  -- `ZZ` runs `:x` without a command line. One of the user's own stays.
  if vim.fn.mapcheck('ZZ', 'n') == '' then
    vim.keymap.set('n', 'ZZ', function()
      if review.settled == nil then
        actions.accept(review)
      end
    end, { buffer = buffer, desc = 'Accept the proposal' })
  end
end

--- `:qa` must not throw away what the user has typed: for its length, and then only, an edited
--- proposal is modified like any unsaved buffer.
local function guard_typed_text()
  for _, review in ipairs(state.pending()) do
    local proposal = require('claude_bridge.review.proposal')
    if proposal.is_touched(review.proposal) then
      review.guarded = true
      vim.bo[review.proposal.buffer].modified = true
      vim.schedule(function()
        review.guarded = nil
        proposal.forget_modified(review.proposal.buffer)
      end)
    end
  end
end

--- Some commands go to a window by what it shows, also to the one that an inline review has hidden.
---@param review claude_bridge.Review
local function leave_hidden_window(review)
  local layout = review.layout
  if layout and layout.covered == vim.api.nvim_get_current_win() then
    vim.schedule(function()
      if layout.covered and vim.api.nvim_win_is_valid(layout.right) then
        vim.api.nvim_set_current_win(layout.right)
      end
    end)
  end
end

---@param group integer
local function watch_editor(group)
  local function on(events, callback, pattern)
    require('claude_bridge.autocmd').create(
      events,
      { group = group, pattern = pattern, callback = callback }
    )
  end
  require('claude_bridge.review.exit_command').start(group)
  on('WinClosed', function(event)
    for _, review in pairs(state.reviews) do
      require('claude_bridge.review.remove').before_close(review, tonumber(event.match) or 0)
    end
  end)
  on('WinEnter', function()
    local remove = require('claude_bridge.review.remove')
    for _, review in pairs(state.reviews) do
      leave_hidden_window(review)
      if remove.are_others_untouched(review) then
        vim.schedule(function()
          remove.measure_others(review)
        end)
      end
    end
  end)
  on('ExitPre', guard_typed_text)
  on('OptionSet', function()
    local review = state.of_proposal(vim.api.nvim_get_current_buf())
    if review then
      require('claude_bridge.review.proposal').forget_modified(review.proposal.buffer)
      require('claude_bridge.review.view').update_title(review)
    end
  end, { 'fileformat', 'endofline', 'bomb', 'fileencoding', 'binary' })
  on('User', function()
    require('claude_bridge.review').close_all('stopped')
  end, 'ClaudeBridgeStopped')
end

--- Starts to watch a review.
---@param review claude_bridge.Review
---@param actions claude_bridge.ReviewActions
function M.start(review, actions)
  local group = vim.api.nvim_create_augroup(GROUP, { clear = false })
  if #vim.api.nvim_get_autocmds({ group = group, event = 'CmdlineLeave' }) == 0 then
    watch_editor(group)
  end
  watch_buffer(review, actions)
  watch_original(review)
end

--- Watches no longer, once no review is left.
function M.stop_if_idle()
  if next(state.reviews) == nil then
    require('claude_bridge.review.exit_command').stop()
    vim.api.nvim_create_augroup(GROUP, { clear = true })
  end
end

return M
