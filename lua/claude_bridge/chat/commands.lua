--- What the commands of sessions do. Whatever goes wrong is told in one line.
local M = {}

---@alias claude_bridge.CommandArgs vim.api.keyset.create_user_command.command_args

local function sessions()
  return require('claude_bridge.chat.sessions')
end

--- Sends an event about the current session.
---@param kind string
---@param fields? table
local function tell(kind, fields)
  local session = sessions().require_live()
  local event = vim.tbl_extend('force', { kind = kind, session = session.name }, fields or {})
  if not require('claude_bridge.channel').notify(event) then
    error({ message = 'the bridge does not run' })
  end
end

--- An event without further fields.
---@param kind string
local function teller(kind)
  return function()
    tell(kind)
  end
end

---@param kind string
local function conversation_teller(kind)
  return function(args)
    if args.args == '' then
      tell('chat_list')
    else
      tell(kind, { conversation = args.args })
    end
  end
end

--- Sets one of the choices; without an argument the user picks one.
---@param kind string
---@param field 'model'|'mode'
local function setter(kind, field)
  return function(args)
    local session = sessions().require_live()
    if args.args ~= '' then
      tell(kind, { [field] = args.args })
      return
    end
    local options = vim.tbl_map(function(choice)
      return { value = choice.id, label = choice.label, description = choice.description }
    end, session.choices[field .. 's'])
    if #options == 0 then
      error({ message = ('%s offers no choice of %s'):format(session.agent, field) })
    end
    require('claude_bridge.chat.asks').pick(
      session,
      ('Which %s?'):format(field),
      options,
      function(id)
        require('claude_bridge.channel').notify({
          kind = kind,
          session = session.name,
          [field] = id,
        })
      end
    )
    require('claude_bridge.chat.desk').recall()
  end
end

---@param kind string
local function decider(kind)
  return function(args)
    require('claude_bridge.chat.answer').decide(kind, args.args ~= '' and args.args or nil)
  end
end

---@param step -1|1
local function browser(step)
  return function()
    local session = sessions().require_live()
    require('claude_bridge.chat.history').move(session.compose:buffer(), step)
  end
end

local function reader(name, ...)
  local values = { ... }
  return function()
    require('claude_bridge.chat.reading')[name](unpack(values))
  end
end

---@type table<string, fun(args: claude_bridge.CommandArgs)>
local actions = {
  ClaudeSession = function(args)
    require('claude_bridge.chat.start').start(args.args, args.bang)
  end,
  ClaudeSessionHide = function()
    local session = sessions().current()
    if session then
      require('claude_bridge.chat.windows').hide(session)
    end
  end,
  ClaudeSessionSend = function(args)
    require('claude_bridge.chat.start').send(args)
  end,
  ClaudeSessionAttach = function(args)
    require('claude_bridge.chat.start').attach(args)
  end,
  ClaudeSessionCancel = teller('chat_cancel'),
  ClaudeSessionPause = teller('chat_pause'),
  ClaudeSessionResume = teller('chat_resume'),
  ClaudeSessionReset = teller('chat_reset'),
  ClaudeSessionClose = teller('chat_close'),
  ClaudeSessionList = teller('chat_list'),
  ClaudeSessionSwitch = conversation_teller('chat_switch'),
  ClaudeSessionLoad = conversation_teller('chat_load'),
  ClaudeSessionModel = setter('chat_set_model', 'model'),
  ClaudeSessionMode = setter('chat_set_mode', 'mode'),
  ClaudeSessionAnswer = function(args)
    require('claude_bridge.chat.answer').reply(args.args ~= '' and args.args or nil)
  end,
  ClaudeSessionAllow = decider('allow-once'),
  ClaudeSessionAllowAlways = decider('allow-always'),
  ClaudeSessionReject = decider('reject-once'),
  ClaudeSessionRejectAlways = decider('reject-always'),
  ClaudeSessionOlder = browser(-1),
  ClaudeSessionNewer = browser(1),
  ClaudeSessionFold = reader('fold'),
  ClaudeSessionOutput = reader('output'),
  ClaudeSessionNext = reader('jump', 1),
  ClaudeSessionPrevious = reader('jump', -1),
}

---@param name string
---@param args claude_bridge.CommandArgs
function M.run(name, args)
  if vim.fn.has('nvim-0.10') == 0 then
    vim.api.nvim_err_writeln('Claude Bridge needs Neovim 0.10 or later')
    return
  end
  require('claude_bridge.ui').guard(function()
    actions[name](args)
  end)
end

---@param list table[]
---@param field string
---@return string[]
local function pluck(list, field)
  return vim.tbl_map(function(item)
    return item[field]
  end, list or {})
end

---@type table<string, fun(session: claude_bridge.ChatSession?): string[]>
local completions = {
  ClaudeSession = function()
    local names = pluck(sessions().live(), 'name')
    return vim.list_extend(names, require('claude_bridge.chat.start').agents())
  end,
  ClaudeSessionModel = function(session)
    return session and pluck(session.choices.models, 'id') or {}
  end,
  ClaudeSessionMode = function(session)
    return session and pluck(session.choices.modes, 'id') or {}
  end,
  ClaudeSessionSwitch = function(session)
    return session and pluck(session.stored, 'id') or {}
  end,
  ClaudeSessionAnswer = function()
    local ask = require('claude_bridge.chat.asks').first()
    return ask and pluck(ask.prompt.options, ask.prompt.kind == 'question' and 'value' or 'label')
      or {}
  end,
}
completions.ClaudeSessionLoad = completions.ClaudeSessionSwitch

---@param name string of the command
---@param lead string
---@return string[]
function M.complete(name, lead)
  local seen, found = {}, {}
  for _, word in ipairs(completions[name](sessions().current())) do
    if vim.startswith(word, lead) and not seen[word] then
      seen[word] = true
      found[#found + 1] = word
    end
  end
  return found
end

return M
