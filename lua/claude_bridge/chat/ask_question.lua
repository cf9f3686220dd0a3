--- Questions with one answer, with several, and with a text as the answer.
local M = {}

---@param ask claude_bridge.ChatAsk
---@return table<string, true> values that are chosen
local function chosen(ask)
  ask.state.chosen = ask.state.chosen or {}
  return ask.state.chosen
end

---@param ask claude_bridge.ChatAsk
---@param option { value: string, label: string, description?: string }
---@param index integer
---@param block claude_bridge.ChatBlock
local function add_option(block, ask, option, index)
  local is_chosen = chosen(ask)[option.value]
  local box = ask.prompt.mode == 'multi' and (is_chosen and '[x] ' or '[ ] ') or ''
  local detail = option.description and ('  ' .. option.description) or ''
  block:add(
    { ('  %s '):format(index <= 9 and index or ' '), 'ClaudeSessionKey' },
    { box, is_chosen and 'ClaudeSessionChosen' or nil },
    option.label,
    { detail, 'ClaudeSessionDetail' }
  )
  ask.state.lines[#block.lines] = index
end

---@param ask claude_bridge.ChatAsk
---@return claude_bridge.ChatBlock
function M.content(ask)
  local block = require('claude_bridge.chat.block').new()
  ask.state.lines = {}
  block:add_text(ask.prompt.title, { group = 'ClaudeSessionHeading' })
  block:add('')
  for index, option in ipairs(ask.prompt.options or {}) do
    add_option(block, ask, option, index)
  end
  if ask.prompt.mode == 'free' then
    block:add({ '  i', 'ClaudeSessionKey' }, '  write the answer')
    block:add_text(ask.state.text or '', { indent = '  ', group = 'ClaudeSessionDetail' })
  end
  return block
end

local FOOTERS = {
  single = '<CR> or the number answers',
  multi = '<Space> or the number chooses · <CR> answers',
  free = 'i writes',
}

---@param ask claude_bridge.ChatAsk
---@return string
function M.footer(ask)
  return FOOTERS[ask.prompt.mode] .. (ask.prompt.own and '' or ' · d declines')
end

---@param act claude_bridge.ChatAct
---@param answers? string[] nil: declines
local function answer(act, answers)
  act.answer({ kind = 'chat_answer', answers = answers })
end

---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
---@param index integer?
local function choose(ask, act, index)
  local option = index and ask.prompt.options[index]
  if not option then
    return
  end
  if ask.prompt.mode == 'single' then
    answer(act, { option.value })
    return
  end
  chosen(ask)[option.value] = not chosen(ask)[option.value] or nil
  act.redraw()
end

---@param ask claude_bridge.ChatAsk
---@return string[] in the order of the options
local function chosen_values(ask)
  local values = {}
  for _, option in ipairs(ask.prompt.options) do
    if chosen(ask)[option.value] then
      values[#values + 1] = option.value
    end
  end
  return values
end

---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
local function write(ask, act)
  require('claude_bridge.chat.editor').open({
    title = 'Answer',
    text = ask.state.text,
    multiline = true,
    submit = function(text)
      ask.state.text = text
      answer(act, { text })
    end,
    keep = function(text)
      ask.state.text = text
      vim.schedule(act.redraw)
    end,
  })
end

---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
---@return table<string, fun()>
function M.keys(ask, act)
  local keys = {}
  if not ask.prompt.own then
    keys.d = function()
      answer(act, nil)
    end
  end
  if ask.prompt.mode == 'free' then
    keys.i = function()
      write(ask, act)
    end
    keys['<CR>'] = keys.i
    return keys
  end
  for index = 1, math.min(9, #ask.prompt.options) do
    keys[tostring(index)] = function()
      choose(ask, act, index)
    end
  end
  keys['<Space>'] = function()
    choose(ask, act, ask.state.lines[act.line()])
  end
  keys['<CR>'] = function()
    if ask.prompt.mode == 'single' then
      choose(ask, act, ask.state.lines[act.line()])
    else
      answer(act, chosen_values(ask))
    end
  end
  return keys
end

--- The value that a text means: an option's number, value or label.
---@param options { value: string, label: string }[]
---@param text string
---@return string
local function value_of(options, text)
  for index, option in ipairs(options) do
    if text == tostring(index) or text == option.value or text == option.label then
      return option.value
    end
  end
  error({ message = ('"%s" is none of the answers'):format(text) })
end

--- Answers by a text, from anywhere. Of several answers, commas stand between.
---@param ask claude_bridge.ChatAsk
---@param text string
---@param act claude_bridge.ChatAct
function M.reply(ask, text, act)
  if ask.prompt.mode == 'free' then
    answer(act, { text })
    return
  end
  local words = ask.prompt.mode == 'multi' and vim.split(text, '%s*,%s*') or { text }
  answer(
    act,
    vim.tbl_map(function(word)
      return value_of(ask.prompt.options, word)
    end, words)
  )
end

return M
