--- The agent's terminal: which agent runs where, and by which provider.
local M = {}

---@class claude_bridge.TerminalSpec
---@field agent string name for messages, and one part of the terminal's identity
---@field argv string[]
---@field cwd string absolute; the other part of the identity
---@field env table<string, string>

---@class claude_bridge.TerminalProvider
---@field open fun(spec: claude_bridge.TerminalSpec) shows the agent, and starts it where it does not run
---@field is_running fun(spec: claude_bridge.TerminalSpec): boolean
---@field hide fun(spec: claude_bridge.TerminalSpec): boolean false where it is not on this tab page
---@field close fun(spec: claude_bridge.TerminalSpec) ends the agent
---@field send fun(spec: claude_bridge.TerminalSpec, text: string): boolean false where none runs
---@field needs_program? boolean false: the program need not be on Neovim's PATH

local DEFAULT_AGENT = 'claude'
--- Known without a word in the options.
local OTHER_AGENTS = { opencode = 'opencode', ['sid-code'] = 'sid-code' }
--- Long enough for an agent to take the pasted text and the key as two events.
local SUBMIT_DELAY_MS = 60

---@return claude_bridge.TerminalProvider
local function provider()
  local name = require('claude_bridge.config').get().terminal.provider
  return require('claude_bridge.terminal.' .. name)
end

---@return table<string, string|string[]>
local function commands()
  local config = require('claude_bridge.config').get().terminal
  return vim.tbl_extend('keep', { [DEFAULT_AGENT] = config.cmd }, config.agents, OTHER_AGENTS)
end

---@return string[] names of the agents that can be run
function M.agents()
  local names = vim.tbl_keys(commands())
  table.sort(names)
  return names
end

--- The agent's terminal that the user is in.
---@return { agent: string, cwd: string }?
local function current()
  return vim.b.claude_bridge_terminal
end

---@return string cwd
local function working_directory()
  local own = current()
  if own then
    return own.cwd
  end
  local wished = require('claude_bridge.config').get().terminal.cwd
  if vim.is_callable(wished) then
    wished = wished()
  end
  local cwd = wished and vim.fn.fnamemodify(vim.fs.normalize(wished), ':p') or vim.fn.getcwd()
  if vim.fn.isdirectory(cwd) == 0 then
    error({ message = ('the working directory %s does not exist'):format(cwd) })
  end
  return (cwd:gsub('(.)/$', '%1'))
end

--- What to run. A first word that names an agent chooses it; the rest are its arguments.
---@param args? string
---@return claude_bridge.TerminalSpec spec without the environment
---@return boolean has_arguments
local function specify(args)
  local argv_of = require('claude_bridge.terminal.argv')
  local words, problem = argv_of.split(args or '')
  if not words then
    error({ message = problem })
  end
  local known, agent, own = commands(), DEFAULT_AGENT, current()
  if words[1] and known[words[1]] then
    agent = table.remove(words, 1)
  elseif own and known[own.agent] then
    agent = own.agent
  end
  local argv, wrong = argv_of.from_command(known[agent])
  if not argv then
    error({ message = ('the command of %s cannot be run: %s'):format(agent, wrong) })
  end
  vim.list_extend(argv, words)
  return { agent = agent, argv = argv, cwd = working_directory(), env = {} }, #words > 0
end

---@param spec claude_bridge.TerminalSpec
local function check_program(spec)
  if vim.fn.executable(spec.argv[1]) ~= 1 then
    local option = spec.agent == DEFAULT_AGENT and 'terminal.cmd' or 'terminal.agents'
    local text = '%s is not an executable on PATH: install it, or set the option `%s`'
    error({ message = text:format(spec.argv[1], option) })
  end
end

--- Shows the agent's terminal, hides it where it is on screen, and starts the bridge and the agent
--- where they do not run.
---@param options? { args?: string, restart?: boolean }
function M.toggle(options)
  options = options or {}
  local spec, has_arguments = specify(options.args)
  local chosen = provider()
  if options.restart then
    chosen.close(spec)
  elseif chosen.is_running(spec) then
    if not has_arguments and chosen.hide(spec) then
      return
    end
    chosen.open(spec)
    if has_arguments then
      local text =
        '%s runs here already, without these arguments; :ClaudeBridgeTerminal! starts anew'
      require('claude_bridge.ui').notify({ level = 'warn', message = text:format(spec.agent) })
    end
    return
  end
  if chosen.needs_program ~= false then
    check_program(spec)
  end
  -- Only a bridge that listens can be found by the agent.
  require('claude_bridge.session').when_ready(function()
    require('claude_bridge.ui').guard(function()
      local names = { spec.agent, spec.argv[1] }
      spec.env = require('claude_bridge.environment').for_agent(names)
      chosen.open(spec)
    end)
  end)
end

--- Types a text into the agent's terminal, as one paste.
---@param text string
---@param options? { submit?: boolean } submit: presses <CR> afterwards
function M.send_text(text, options)
  local chosen, spec = provider(), specify()
  -- The text must not end the paste that it is part of.
  local pasted = '\27[200~' .. text:gsub('\27%[20[01]~', '') .. '\27[201~'
  if not chosen.send(spec, pasted) then
    error({ message = 'no agent runs in a terminal here; :ClaudeBridgeTerminal starts one' })
  end
  if options and options.submit then
    vim.defer_fn(function()
      chosen.send(spec, '\r')
    end, SUBMIT_DELAY_MS)
  end
end

return M
