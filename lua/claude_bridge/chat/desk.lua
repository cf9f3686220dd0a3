--- Where the first question is on the screen: in which tab page, whether it has the focus, and what
--- its keys do.
local M = {}

local api = vim.api
local card_of = require('claude_bridge.chat.card')

--- The next of several questions gets the focus from the one before, if it comes soon.
local CHAIN_MS = 1500

---@type { ask: claude_bridge.ChatAsk, card: claude_bridge.ChatCard }?
local shown
---@type { window: integer, at: integer }? where the focus went when the last one was answered
local chain
---@type integer?
local group

local function asks()
  return require('claude_bridge.chat.asks')
end

--- How many questions wait. Node tells of the first of each session, and of the number in its status.
---@return integer
local function waiting()
  local count = 0
  for _, ask in ipairs(asks().pending()) do
    local session = require('claude_bridge.chat.sessions').get(ask.session)
    local told = not ask.prompt.own and session and session.status.waiting
    count = count + math.max(1, told or (ask.prompt.waiting or 0) + 1)
  end
  return count
end

---@param ask claude_bridge.ChatAsk
---@return claude_bridge.ChatCardContent
local function content_of(ask)
  local more = waiting() - 1
  local count = more > 0 and (' · %d more'):format(more) or ''
  local kind = asks().kind(ask.prompt)
  local focused = shown and shown.ask == ask and card_of.has_focus(shown.card)
  local away = ask.prompt.own and 'q closes' or 'q later'
  local session = require('claude_bridge.chat.sessions').get(ask.session)
  return {
    block = kind.content(ask),
    title = ask.session .. count,
    window = session and session.view and require('claude_bridge.chat.windows').of(
      session.view.buffer
    ),
    -- What it is about is on show beside the conversation.
    narrow = ask.prompt.review == true,
    footer = focused and kind.footer(ask) .. ' · ' .. away or ':ClaudeSessionAnswer goes here',
  }
end

local function close()
  if shown then
    local card = shown.card
    shown = nil
    card_of.close(card)
  end
end

local function redraw()
  if shown and card_of.is_here(shown.card) then
    card_of.update(shown.card, content_of(shown.ask))
  end
end

--- The number of questions that wait has changed.
function M.recount()
  if shown and card_of.is_here(shown.card) then
    card_of.retitle(shown.card, content_of(shown.ask))
  end
end

---@param ask claude_bridge.ChatAsk
---@return claude_bridge.ChatAct
local function act_on(ask)
  return {
    answer = function(fields)
      asks().answer(ask, fields)
    end,
    redraw = redraw,
    line = function()
      return api.nvim_win_get_cursor(shown.card.window)[1]
    end,
  }
end

--- Puts the question off. One of our own ends with that.
local function put_off(ask)
  ask.hidden = true
  if ask.prompt.own then
    asks().dismiss(ask.session, ask.prompt.id)
  end
  M.show()
end

---@param ask claude_bridge.ChatAsk
---@param card claude_bridge.ChatCard
local function set_keys(ask, card)
  for key, run in pairs(asks().kind(ask.prompt).keys(ask, act_on(ask))) do
    card_of.map(card, key, run)
  end
  for _, key in ipairs({ 'q', '<Esc>' }) do
    card_of.map(card, key, function()
      put_off(ask)
    end)
  end
  require('claude_bridge.autocmd').create({ 'WinEnter', 'WinLeave' }, {
    buffer = card.buffer,
    callback = vim.schedule_wrap(redraw),
  })
end

--- Whether the question may take the focus: the user has called for it, is at this session, or comes
--- from its last question, and no key that is being typed can be meant for another window.
---@param ask claude_bridge.ChatAsk
---@return boolean
local function may_focus(ask)
  if not require('claude_bridge.chat.windows').may_focus() then
    return false
  end
  local window = api.nvim_get_current_win()
  if chain and chain.window == window and vim.uv.now() - chain.at < CHAIN_MS then
    return true
  end
  -- A list of our own is what the user has just asked for.
  return ask.prompt.own or not ask.prompt.review and vim.b.claude_bridge_session == ask.session
end

---@param args { match: string }
local function on_win_closed(args)
  if not shown or tonumber(args.match) ~= shown.card.window then
    return
  end
  local ask, tab = shown.ask, api.nvim_win_get_tabpage(shown.card.window)
  shown = nil
  vim.schedule(function()
    -- A tab page that was closed took the card along; nobody has put the question off.
    if api.nvim_tabpage_is_valid(tab) then
      put_off(ask)
    else
      M.show()
    end
  end)
end

--- As long as something is asked, follows the user to other tab pages.
local function watch(wanted)
  if wanted == (group ~= nil) then
    return
  end
  if group then
    api.nvim_del_augroup_by_id(group)
    group = nil
    return
  end
  group = api.nvim_create_augroup('claude_bridge_session_desk', {})
  require('claude_bridge.autocmd').create('WinClosed', { group = group, callback = on_win_closed })
  require('claude_bridge.autocmd').create({ 'TabEnter', 'CmdwinLeave', 'VimResized' }, {
    group = group,
    callback = vim.schedule_wrap(function()
      M.show()
    end),
  })
end

---@param ask claude_bridge.ChatAsk
---@param focus boolean
local function present(ask, focus)
  local asked_already = shown and shown.ask == ask
  if asked_already and card_of.is_here(shown.card) then
    redraw()
    return
  end
  close()
  local ok, card = pcall(card_of.open, content_of(ask))
  if not ok then
    -- The command-line window is open: no other can be. Leaving it brings us back here.
    return
  end
  shown = { ask = ask, card = card }
  set_keys(ask, card)
  if focus and not asked_already then
    card_of.focus(card, false)
    redraw()
  end
end

--- Shows what is to be shown now.
function M.show()
  local ask = asks().first()
  watch(ask ~= nil)
  require('claude_bridge.chat.status').changed()
  if not ask or ask.hidden then
    close()
    return
  end
  present(ask, may_focus(ask))
end

--- The focus may go on to the next question.
---@param ask claude_bridge.ChatAsk
function M.answered(ask)
  local had_focus = shown and shown.ask == ask and card_of.has_focus(shown.card)
  if shown and shown.ask == ask then
    close()
  end
  chain = had_focus and { window = api.nvim_get_current_win(), at = vim.uv.now() } or nil
  M.show()
end

---@param ask claude_bridge.ChatAsk
---@return boolean whether the user can see it
function M.is_on_show(ask)
  return shown ~= nil and shown.ask == ask and card_of.is_here(shown.card)
end

--- Brings back what the user has put off, and goes there.
---@return claude_bridge.ChatAsk?
function M.recall()
  local first = asks().first()
  for _, ask in ipairs(asks().pending()) do
    ask.hidden = false
  end
  M.show()
  if shown then
    card_of.focus(shown.card, true)
    redraw()
  end
  return first
end

return M
