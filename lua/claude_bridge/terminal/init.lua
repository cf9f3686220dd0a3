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
---@field send fun(spec: claude_bridge.TerminalSpec, text: string, submit: boolean): boolean types it as one paste; false where none runs
---@field find fun(pid: integer): claude_bridge.TerminalSpec|false|nil whose terminal the process runs in
---@field needs_program? boolean false: the program need not be on Neovim's PATH

local DEFAULT_AGENT = 'claude'
--- Known without a word in the options.
local OTHER_AGENTS = { opencode = 'opencode', ['sid-code'] = 'sid-code' }

--- One of the user's own need not have every function.
---@return claude_bridge.TerminalProvider
local function provider()
  local chosen = require('claude_bridge.config').get().terminal.provider
  if type(chosen) == 'table' then
    return setmetatable(chosen, { __index = require('claude_bridge.terminal.none') })
  end
  return require('claude_bridge.terminal.' .. chosen)
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

--- Goes back to the window before, else to any that is no terminal.
local function leave()
  local current_window = vim.api.nvim_get_current_win()
  local likely = { vim.fn.win_getid(vim.fn.winnr('#')) }
  vim.list_extend(likely, vim.api.nvim_tabpage_list_wins(0))
  local back = vim.iter(likely):find(function(window)
    return window ~= 0
      and window ~= current_window
      and vim.api.nvim_win_is_valid(window)
      and vim.bo[vim.api.nvim_win_get_buf(window)].buftype ~= 'terminal'
  end)
  if back then
    vim.api.nvim_set_current_win(back)
  end
end

--- Goes to the agent's terminal, which is shown and started where need be; from there back to where
--- the user was. It stays on screen.
---@param args? string as after `:ClaudeBridgeTerminal`
function M.focus(args)
  local spec, own = specify(args), current()
  if own and own.agent == spec.agent and own.cwd == spec.cwd then
    leave()
  elseif provider().is_running(spec) then
    provider().open(spec)
  else
    M.toggle({ args = args })
  end
end

--- Goes to the agent's terminal after a mention, if the user wants that and one runs.
function M.after_mention()
  if not require('claude_bridge.config').get().terminal.focus_after_mention then
    return
  end
  local spec = specify()
  if provider().is_running(spec) then
    provider().open(spec)
  end
end

--- Types a text into the agent's terminal, as one paste.
---@param text string
---@param options? { submit?: boolean } submit: presses <CR> afterwards
function M.send_text(text, options)
  local submit = options ~= nil and options.submit == true
  if not provider().send(specify(), text, submit) then
    local name = require('claude_bridge.config').get().terminal.provider
    error({
      message = (name == 'external' or name == 'none')
          and 'the agent runs outside Neovim: set the option `terminal.send` to type into it'
        or 'no agent runs in a terminal here; :ClaudeBridgeTerminal starts one',
    })
  end
end

--- Types a text for one connected agent into the terminal in which it runs, and submits it. The
--- user is told where that cannot be.
---@param params { pid?: integer, name: string, text: string, purpose: string }
function M.tell(params)
  local chosen = provider()
  local spec = params.pid and chosen.find(params.pid)
  local sent
  if spec then
    sent = chosen.send(spec, params.text, true)
  else
    sent = require('claude_bridge.terminal.outside').send(params.text, true)
  end
  if not sent then
    local text = '%s runs outside Neovim; tell it there %s'
    require('claude_bridge.ui').notify({
      level = 'warn',
      message = text:format(params.name, params.purpose),
    })
  end
end

return M
