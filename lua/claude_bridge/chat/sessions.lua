--- The sessions that this editor shows: what node has told of each, and its buffers.
local M = {}

---@class claude_bridge.ChatSession
---@field name string
---@field agent string
---@field batch integer the last batch that was applied
---@field ended boolean the conversation can only be read
---@field used integer grows with each use
---@field is_hidden? boolean its next buffer is not to be shown
---@field view? claude_bridge.ChatView nil: the user has wiped it out
---@field compose claude_bridge.ChatCompose
---@field status table
---@field choices { models: table[], modes: table[], commands: table[] }

---@type table<string, claude_bridge.ChatSession>
local sessions = {}
local clock = 0

---@param session claude_bridge.ChatSession
local function forget_view(session)
  if session.view and not session.view:is_alive() then
    session.view = nil
  end
end

---@param name string
---@return claude_bridge.ChatSession?
function M.get(name)
  local session = sessions[name]
  if session then
    forget_view(session)
  end
  return session
end

--- Notes that the user is at this session: commands go to it from now on.
---@param session claude_bridge.ChatSession
function M.touch(session)
  clock = clock + 1
  session.used = clock
end

---@return claude_bridge.ChatSession[] the last used one first
function M.list()
  local list = vim.tbl_values(sessions)
  table.sort(list, function(a, b)
    return a.used > b.used
  end)
  return list
end

---@return claude_bridge.ChatSession[]
function M.live()
  return vim.tbl_filter(function(session)
    return not session.ended
  end, M.list())
end

--- The session of a buffer, or else the one that was used last.
---@param buffer? integer
---@return claude_bridge.ChatSession?
function M.current(buffer)
  local name = vim.b[buffer or 0].claude_bridge_session
  return name and M.get(name) or M.live()[1] or M.list()[1]
end

--- What a command works on. Fails with a line for the user where there is none.
---@return claude_bridge.ChatSession
function M.require_live()
  local session = M.current()
  if not session or session.ended then
    error({ message = 'no session is open: :ClaudeSession starts one' })
  end
  return session
end

--- The session of that name; made where there is none, begun anew where it has ended.
---@param name string
---@param agent string
---@return claude_bridge.ChatSession session
---@return boolean is_seen whether the user is to see it
function M.open(name, agent)
  local session = M.get(name)
  if not session then
    session = {
      name = name,
      used = 0,
      compose = require('claude_bridge.chat.compose').new(name),
    }
    sessions[name] = session
  elseif session.ended and session.view then
    session.view:apply({ { op = 'clear' } })
  end
  session.agent, session.batch, session.ended = agent, 0, false
  session.status = session.status or { agent = agent, state = 'connecting', progress = {} }
  session.choices = session.choices or { models = {}, modes = {}, commands = {} }
  session.view = session.view or require('claude_bridge.chat.view').new(name)
  require('claude_bridge.chat.context').watch()
  local is_seen = not session.is_hidden
  session.is_hidden = nil
  return session, is_seen
end

--- The session is over; its buffers stay to be read.
---@param session claude_bridge.ChatSession
function M.finish(session)
  session.ended = true
  session.status = vim.tbl_extend('force', session.status, {
    state = 'disconnected',
    busy = false,
    detail = '',
    waiting = 0,
    progress = {},
  })
  require('claude_bridge.chat.asks').withdraw(session.name)
  if #M.live() == 0 then
    require('claude_bridge.chat.context').unwatch()
  end
end

return M
