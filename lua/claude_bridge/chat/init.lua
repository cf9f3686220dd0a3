--- Live sessions as node has them shown, and what other plugins may ask of them.
local M = {}

---@param params { session: string }
---@return claude_bridge.ChatSession
local function session_of(params)
  local session = require('claude_bridge.chat.sessions').get(params.session)
  if not session then
    error({ code = 'not-found', message = ('no session %s is open'):format(params.session) })
  end
  return session
end

--- Shows a session, with buffers of its own where it has none.
---@param params { session: string, agent: string }
function M.open(params)
  require('claude_bridge.chat.highlights').define()
  local session, is_seen = require('claude_bridge.chat.sessions').open(params.session, params.agent)
  if is_seen then
    require('claude_bridge.chat.windows').show(session)
  end
end

--- Has node tell all of it to a new buffer, which stays hidden: the user has wiped out the old one,
--- but what the agent asks from now on must not be missed.
---@param session claude_bridge.ChatSession
local function begin_anew(session)
  session.is_hidden = true
  require('claude_bridge.channel').notify({ kind = 'chat_show', session = session.name })
  error({ code = 'not-found', message = 'the conversation has been wiped out' })
end

---@type table<string, fun(session: claude_bridge.ChatSession, op: table)>
local apart = {
  status = function(session, op)
    local waited = session.status.waiting
    session.status = op.status
    require('claude_bridge.chat.status').changed()
    if waited ~= op.status.waiting then
      require('claude_bridge.chat.desk').recount()
    end
  end,
  choices = function(session, op)
    session.choices = op.choices
  end,
  ask = function(session, op)
    require('claude_bridge.chat.asks').ask(session, op.prompt)
  end,
  dismiss = function(session, op)
    require('claude_bridge.chat.asks').dismiss(session.name, op.id)
  end,
  sessions = function(session, op)
    require('claude_bridge.chat.stored').choose(session, op.sessions)
  end,
  input = function(session, op)
    session.compose:give_back(op.text)
  end,
}

--- Runs a step without compiling it: what is done to many small entries of many kinds is no faster
--- compiled, and compiling it takes pauses of many milliseconds.
---@param step fun(params: table)
---@param params table
local function interpreted(step, params)
  local compiles = jit and jit.status()
  if compiles then
    jit.off()
  end
  local ok, problem = pcall(step, params)
  if compiles then
    jit.on()
  end
  if not ok then
    error(problem, 0)
  end
end

---@param params { session: string, batch: integer, ops: table[] }
local function apply(params)
  local session = session_of(params)
  if params.batch <= session.batch then
    return
  end
  if not session.view then
    begin_anew(session)
  end
  session.batch = params.batch
  local of_entries = {}
  for _, op in ipairs(params.ops) do
    local run = apart[op.op]
    if run then
      run(session, op)
    else
      of_entries[#of_entries + 1] = op
      session.compose:heard(op)
    end
  end
  if #of_entries > 0 then
    session.view:apply(of_entries)
  end
end

--- Applies a batch of operations. One that was applied before does nothing.
---@param params { session: string, batch: integer, ops: table[] }
---@return number ms of processor time, by which node judges how much the next may hold
function M.apply(params)
  local from = os.clock()
  interpreted(apply, params)
  return (os.clock() - from) * 1000
end

--- Ends a session; what was said stays readable.
---@param params { session: string, message?: string }
function M.close(params)
  local session = session_of(params)
  require('claude_bridge.chat.sessions').finish(session)
  if session.view then
    local text = params.message or 'The session is over.'
    local entry = { id = '\0over', kind = 'notice', level = 'info', text = text }
    session.view:apply({ { op = 'put', entry = entry } })
  end
  require('claude_bridge.chat.status').changed()
end

--- For a status line: the session of the current buffer, or the last used one; '' without any.
---@return string
function M.statusline()
  local session = require('claude_bridge.chat.sessions').current()
  return session and require('claude_bridge.chat.status').text(session) or ''
end

return M
