--- Permissions and plans: one key decides.
local M = {}

--- The first option of each kind has a letter; all have their number.
local LETTERS = {
  { 'y', 'allow-once' },
  { 'a', 'allow-always' },
  { 'n', 'reject-once' },
  { 'd', 'reject-always' },
}

---@param options { id: string, label: string, kind: string }[]
---@param kind string
---@return { id: string, label: string, kind: string }?
local function first_of(options, kind)
  for _, option in ipairs(options) do
    if option.kind == kind then
      return option
    end
  end
end

--- The option that says no, and may carry a reason.
local function rejection(options)
  return first_of(options, 'reject-once') or first_of(options, 'reject-always')
end

---@param options table[]
---@param option table
---@param index integer
---@return string key
local function key_of(options, option, index)
  for _, letter in ipairs(LETTERS) do
    if first_of(options, letter[2]) == option then
      return letter[1]
    end
  end
  return tostring(index)
end

---@param block claude_bridge.ChatBlock
---@param part table
local function add_part(block, part)
  block:add('')
  if part.kind == 'diff' then
    block:append((require('claude_bridge.chat.diff').block(part, {})))
  elseif part.kind == 'code' then
    block:add_text(part.text, { indent = '  ', group = 'ClaudeSessionInput' })
  else
    block:add_text(part.text, {})
  end
end

---@param block claude_bridge.ChatBlock
---@param prompt table
local function add_body(block, prompt)
  if prompt.review then
    block:add('')
    block:add({ 'The edit is on show: accept or reject it there or here.', 'ClaudeSessionDetail' })
    return
  end
  for _, part in ipairs(prompt.body or { { kind = 'text', text = prompt.text } }) do
    add_part(block, part)
  end
end

---@param ask claude_bridge.ChatAsk
---@return claude_bridge.ChatBlock
function M.content(ask)
  local prompt = ask.prompt
  local block = require('claude_bridge.chat.block').new()
  local is_named = prompt.tool and not vim.startswith(prompt.title, prompt.tool)
  local tool = is_named and (' (%s)'):format(prompt.tool) or ''
  block:add({ prompt.title, 'ClaudeSessionHeading' }, { tool, 'ClaudeSessionDetail' })
  block:add_text(prompt.reason or '', { group = 'ClaudeSessionWarn' })
  block:add('')
  for index, option in ipairs(prompt.options) do
    local key = key_of(prompt.options, option, index)
    block:add({ '  ' .. key, 'ClaudeSessionKey' }, '  ' .. option.label)
  end
  if rejection(prompt.options) then
    block:add({ '  r', 'ClaudeSessionKey' }, '  No, with a reason')
  end
  add_body(block, prompt)
  return block
end

---@return string
function M.footer()
  return 'one key answers'
end

---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
---@param option table?
---@param reason? string
local function decide(ask, act, option, reason)
  if not option then
    error({ message = ('%s does not offer that answer'):format(ask.session) })
  end
  act.answer({ kind = 'chat_decide', option = option.id, reason = reason })
end

--- Decides by the kind of option, from anywhere.
---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
---@param kind 'allow-once'|'allow-always'|'reject-once'|'reject-always'
---@param reason? string
function M.decide(ask, act, kind, reason)
  local option = kind == 'reject-once' and rejection(ask.prompt.options)
    or first_of(ask.prompt.options, kind)
  decide(ask, act, option, reason)
end

---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
local function with_reason(ask, act)
  local option = rejection(ask.prompt.options)
  require('claude_bridge.chat.editor').open({
    title = 'Why not?',
    text = ask.state.reason,
    submit = function(reason)
      decide(ask, act, option, reason ~= '' and reason or nil)
    end,
    keep = function(reason)
      ask.state.reason = reason
    end,
  })
end

---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
---@return table<string, fun()>
function M.keys(ask, act)
  local keys = {
    r = function()
      with_reason(ask, act)
    end,
  }
  for _, letter in ipairs(LETTERS) do
    keys[letter[1]] = function()
      decide(ask, act, first_of(ask.prompt.options, letter[2]))
    end
  end
  for index = 1, math.min(9, #ask.prompt.options) do
    keys[tostring(index)] = function()
      decide(ask, act, ask.prompt.options[index])
    end
  end
  return keys
end

return M
