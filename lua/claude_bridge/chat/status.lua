--- The state of a session in a few words, for a window bar or a status line.
local M = {}

local format = require('claude_bridge.chat.format')

--- A flood of changes must not redraw all status lines at each.
local REDRAW_MS = 100
local is_due = false

--- A choice by its id, as people know it.
---@param list { id: string, label: string }[]
---@param id string?
---@return string?
local function label_of(list, id)
  for _, choice in ipairs(list or {}) do
    if choice.id == id then
      return choice.label
    end
  end
  return id
end

---@param status table
---@return string?
local function usage(status)
  local parts = {}
  if status.tokens then
    local size = status.tokens.size and '/' .. format.count(status.tokens.size) or ''
    parts[#parts + 1] = format.count(status.tokens.used) .. size
  end
  if status.cost then
    parts[#parts + 1] = format.money(status.cost.amount, status.cost.currency)
  end
  return #parts > 0 and table.concat(parts, ' ') or nil
end

---@param status table
---@return string?
local function progress(status)
  local last = status.progress and status.progress[#status.progress]
  if not last then
    return nil
  end
  local percent = last.percent and (' %d%%'):format(last.percent) or ''
  return (last.message or last.stage) .. percent
end

---@param status table
---@return string state, string group
local function state_of(status)
  if status.state == 'connected' then
    local group = status.busy and 'ClaudeSessionRunning' or 'ClaudeSessionDone'
    return status.busy and 'working' or 'ready', group
  end
  local group = status.state == 'failed' and 'ClaudeSessionFailed' or 'ClaudeSessionWaiting'
  return status.state, group
end

---@param session claude_bridge.ChatSession
---@return { [1]: string, [2]: string?, first: integer } parts text and group; `first` of them matter most
local function parts_of(session)
  local status = session.status
  local state, group = state_of(status)
  if session.ended then
    state, group = 'over', 'ClaudeSessionDetail'
  end
  local parts = { { session.name, 'ClaudeSessionUser' }, { state, group } }
  local function add(text, text_group)
    if text and text ~= '' then
      parts[#parts + 1] = { text, text_group }
    end
  end
  add((status.waiting or 0) > 0 and ('%d to answer'):format(status.waiting), 'ClaudeSessionWaiting')
  add((status.queued or 0) > 0 and ('%d to be sent'):format(status.queued), 'ClaudeSessionWaiting')
  parts.first = #parts
  add(progress(status))
  add(label_of(session.choices.models, status.model))
  add(label_of(session.choices.modes, status.mode))
  add(usage(status))
  -- The rest of a reason stands in the conversation.
  local detail = status.detail and status.detail:match('^[^\n]*')
  add(status.state ~= 'connected' and detail or status.title, 'ClaudeSessionDetail')
  return parts
end

--- Plain text, without highlights.
---@param session claude_bridge.ChatSession
---@return string
function M.text(session)
  local texts = {}
  for index, part in ipairs(parts_of(session)) do
    texts[index] = part[1]
  end
  return (table.concat(texts, ' · '):gsub('\n', ' '))
end

---@param text string
---@return string
local function escape(text)
  return (text:gsub('%%', '%%%%'):gsub('\n', ' '))
end

--- While a window bar is evaluated, its window is the current one.
---@return claude_bridge.ChatSession?
local function of_bar()
  return require('claude_bridge.chat.sessions').get(vim.b.claude_bridge_session or '')
end

--- The window bar of a conversation, in the format of 'statusline'.
---@return string
function M.winbar()
  local session = of_bar()
  if not session then
    return ''
  end
  local parts = parts_of(session)
  local texts = {}
  for index, part in ipairs(parts) do
    local text = escape(part[1])
    texts[index] = part[2] and ('%%#%s#%s%%*'):format(part[2], text) or text
  end
  -- A narrow window shows what is to be acted on.
  texts[parts.first] = texts[parts.first] .. '%<'
  return ' ' .. table.concat(texts, ' · ')
end

--- The window bar of a prompt: what goes with the text, or how to send it.
---@return string
function M.compose_bar()
  local session = of_bar()
  if not session then
    return ''
  end
  local labels = session.compose:labels()
  if #labels > 0 then
    return ' %#ClaudeSessionPath#@' .. escape(table.concat(labels, ' @')) .. '%*'
  end
  return ' %#ClaudeSessionDetail#<CR> or <C-s> sends%< · / commands · @ files%*'
end

--- Has window bars and status lines drawn again, soon.
function M.changed()
  if is_due then
    return
  end
  is_due = true
  vim.defer_fn(function()
    is_due = false
    vim.cmd.redrawstatus({ bang = true })
  end, REDRAW_MS)
end

return M
