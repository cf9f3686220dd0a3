--- What agents ask, one after the other. Only an answer, or the agent, ends a question: a window
--- that is closed, a mode or a tab page in which none can be shown only puts it off.
local M = {}

---@class claude_bridge.ChatAsk
---@field session string
---@field prompt table as in doc/bridge.md
---@field state table what the user has filled in so far
---@field hidden boolean the user has put it off
---@field deliver fun(fields: table): boolean hands the answer on; false: nobody took it

---@class claude_bridge.ChatAskKind
---@field content fun(ask: claude_bridge.ChatAsk): claude_bridge.ChatBlock
---@field keys fun(ask: claude_bridge.ChatAsk, act: claude_bridge.ChatAct): table<string, fun()>
---@field footer fun(ask: claude_bridge.ChatAsk): string
---@field reply? fun(ask: claude_bridge.ChatAsk, text: string, act: claude_bridge.ChatAct)

---@class claude_bridge.ChatAct
---@field answer fun(fields: table) ends the question
---@field redraw fun()
---@field line fun(): integer the cursor's line in the card, from 1

local KINDS = {
  permission = 'decision',
  plan = 'decision',
  question = 'question',
  form = 'form',
}

---@type claude_bridge.ChatAsk[]
local queue = {}

---@param prompt table
---@return claude_bridge.ChatAskKind
function M.kind(prompt)
  return require('claude_bridge.chat.ask_' .. KINDS[prompt.kind])
end

---@return claude_bridge.ChatAsk[] the next one first
function M.pending()
  return queue
end

--- What is on show, or would be.
---@return claude_bridge.ChatAsk?
function M.first()
  for _, ask in ipairs(queue) do
    if not ask.hidden then
      return ask
    end
  end
  return queue[1]
end

---@param session string
---@param id string
---@return integer?
local function index_of(session, id)
  for index, ask in ipairs(queue) do
    if ask.session == session and ask.prompt.id == id then
      return index
    end
  end
end

local function show()
  require('claude_bridge.chat.desk').show()
end

---@param ask claude_bridge.ChatAsk
---@param index? integer where in the queue; default: at its end
local function push(ask, index)
  table.insert(queue, index or #queue + 1, ask)
  show()
end

--- Asks. The same question again keeps what the user has filled in, unless it was wrong.
---@param session claude_bridge.ChatSession
---@param prompt table
function M.ask(session, prompt)
  local index = index_of(session.name, prompt.id)
  if index then
    local ask = queue[index]
    ask.prompt = prompt
    if prompt.values or prompt.errors then
      ask.state = {}
    end
    show()
    return
  end
  push({
    session = session.name,
    prompt = prompt,
    state = {},
    hidden = false,
    deliver = function(fields)
      fields.session, fields.id = session.name, prompt.id
      return require('claude_bridge.channel').notify(fields)
    end,
  })
  require('claude_bridge.session').emit(
    'SessionAsk',
    { session = session.name, kind = prompt.kind }
  )
end

--- Lets the user pick from a list, before all that agents ask; nothing goes to the agent.
---@param session claude_bridge.ChatSession
---@param title string
---@param options { value: string, label: string, description?: string }[]
---@param picked fun(value: string)
function M.pick(session, title, options, picked)
  local id = '\0pick'
  M.dismiss(session.name, id)
  push({
    session = session.name,
    prompt = {
      id = id,
      kind = 'question',
      mode = 'single',
      title = title,
      options = options,
      waiting = 0,
      own = true,
    },
    state = {},
    hidden = false,
    deliver = function(fields)
      if fields.answers then
        picked(fields.answers[1])
      end
      return true
    end,
  }, 1)
end

---@param session string
---@param id string
function M.dismiss(session, id)
  local index = index_of(session, id)
  if index then
    table.remove(queue, index)
    show()
  end
end

--- Takes away all questions of a session that is over.
---@param session string
function M.withdraw(session)
  queue = vim.tbl_filter(function(ask)
    return ask.session ~= session
  end, queue)
  show()
end

--- Hands on the answer, and goes to the next question.
---@param ask claude_bridge.ChatAsk
---@param fields table
function M.answer(ask, fields)
  if not vim.list_contains(queue, ask) then
    error({ message = ('%s no longer waits for this answer'):format(ask.session) })
  end
  if not ask.deliver(fields) then
    error({ message = 'the bridge does not run; the question stays open' })
  end
  queue = vim.tbl_filter(function(other)
    return other ~= ask
  end, queue)
  require('claude_bridge.chat.desk').answered(ask)
end

return M
