--- Forms: a line for each field, or a page to visit.
local M = {}

---@param ask claude_bridge.ChatAsk
---@return table<string, any> by field name
local function values_of(ask)
  if not ask.state.values then
    ask.state.values = {}
    for _, field in ipairs(ask.prompt.fields or {}) do
      local given = (ask.prompt.values or {})[field.name]
      if given == nil then
        given = field.default
      end
      ask.state.values[field.name] = given
    end
  end
  return ask.state.values
end

---@param value any of the field
---@param field table
---@param option string
local function is_chosen(value, field, option)
  if field.type == 'choices' then
    return vim.list_contains(value or {}, option)
  end
  return value == option
end

---@param block claude_bridge.ChatBlock
---@param ask claude_bridge.ChatAsk
---@param field table
local function add_options(block, ask, field)
  local value = values_of(ask)[field.name]
  local on, off = '(x) ', '( ) '
  if field.type == 'choices' then
    on, off = '[x] ', '[ ] '
  end
  for _, option in ipairs(field.options or {}) do
    local chosen = is_chosen(value, field, option.value)
    block:add(
      '    ',
      { chosen and on or off, chosen and 'ClaudeSessionChosen' or 'ClaudeSessionKey' },
      option.label,
      { option.description and '  ' .. option.description or '', 'ClaudeSessionDetail' }
    )
    ask.state.lines[#block.lines] = { field = field, option = option.value }
  end
end

---@param block claude_bridge.ChatBlock
---@param ask claude_bridge.ChatAsk
---@param field table
local function add_field(block, ask, field)
  local value = values_of(ask)[field.name]
  local label = field.label .. (field.required and ' *' or '')
  if field.type == 'boolean' then
    local box = value and '[x] ' or '[ ] '
    block:add('  ', { box, value and 'ClaudeSessionChosen' or 'ClaudeSessionKey' }, label)
  else
    local shown = not field.options and value ~= nil and tostring(value) or ''
    local format = field.format and (' (%s)'):format(field.format) or ''
    block:add(
      '  ' .. label,
      { format, 'ClaudeSessionDetail' },
      ': ',
      { shown, 'ClaudeSessionInput' }
    )
  end
  ask.state.lines[#block.lines] = { field = field }
  block:add_text(field.description or '', { indent = '    ', group = 'ClaudeSessionDetail' })
  block:add_text(
    (ask.prompt.errors or {})[field.name] or '',
    { indent = '    ', group = 'ClaudeSessionError' }
  )
  add_options(block, ask, field)
end

---@param ask claude_bridge.ChatAsk
---@return claude_bridge.ChatBlock
function M.content(ask)
  local block = require('claude_bridge.chat.block').new()
  ask.state.lines = {}
  block:add_text(ask.prompt.title, { group = 'ClaudeSessionHeading' })
  if ask.prompt.url then
    block:add('')
    block:add('  ', { ask.prompt.url, 'ClaudeSessionLink' })
  end
  for _, field in ipairs(ask.prompt.fields or {}) do
    block:add('')
    add_field(block, ask, field)
  end
  return block
end

---@param ask claude_bridge.ChatAsk
---@return string
function M.footer(ask)
  local keys = ask.prompt.url and 'o opens the page · s when done' or '<CR> changes · s sends'
  return keys .. ' · d declines'
end

---@param ask claude_bridge.ChatAsk
---@param field table
---@param act claude_bridge.ChatAct
local function write(ask, field, act)
  local value = values_of(ask)[field.name]
  local function keep(text)
    local number = field.type ~= 'text' and tonumber(text) or nil
    -- What is no number goes as it is: node says what is wrong with it.
    values_of(ask)[field.name] = text ~= '' and (number or text) or nil
    vim.schedule(act.redraw)
  end
  require('claude_bridge.chat.editor').open({
    title = field.label,
    text = value ~= nil and tostring(value) or '',
    submit = keep,
    keep = keep,
  })
end

---@param values any
---@param option string
---@return string[]
local function toggled(values, option)
  local list = vim.tbl_filter(function(value)
    return value ~= option
  end, values or {})
  if #list == #(values or {}) then
    list[#list + 1] = option
  end
  return list
end

--- Changes what stands in the cursor's line.
---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
local function change(ask, act)
  local target = ask.state.lines[act.line()]
  if not target then
    return
  end
  local values, field = values_of(ask), target.field
  if field.type == 'boolean' then
    values[field.name] = not values[field.name]
  elseif field.type == 'choices' then
    values[field.name] = target.option and toggled(values[field.name], target.option)
      or values[field.name]
  elseif field.type == 'choice' then
    values[field.name] = target.option or values[field.name]
  else
    write(ask, field, act)
    return
  end
  act.redraw()
end

---@param ask claude_bridge.ChatAsk
---@param act claude_bridge.ChatAct
---@return table<string, fun()>
function M.keys(ask, act)
  local function act_on_line()
    change(ask, act)
  end
  local function submit()
    local values = values_of(ask)
    act.answer({
      kind = 'chat_answer',
      values = next(values) == nil and vim.empty_dict() or values,
    })
  end
  return {
    ['<CR>'] = act_on_line,
    ['<Space>'] = act_on_line,
    i = act_on_line,
    s = submit,
    ['<C-s>'] = submit,
    d = function()
      act.answer({ kind = 'chat_answer' })
    end,
    o = function()
      if ask.prompt.url then
        vim.ui.open(ask.prompt.url)
      end
    end,
  }
end

return M
