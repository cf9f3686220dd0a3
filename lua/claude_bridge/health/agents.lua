--- Health: which agents there are.
local M = {}

local health = vim.health

local KNOWN = { 'claude', 'opencode', 'gemini', 'qwen', 'sid-code' }

---@return table<string, string> paths by name
local function installed()
  local found = {}
  local argv_of = require('claude_bridge.terminal.argv')
  local config = require('claude_bridge.config').get().terminal
  local commands = { config.cmd }
  vim.list_extend(commands, vim.tbl_values(config.agents))
  vim.list_extend(commands, KNOWN)
  for _, command in ipairs(commands) do
    local argv = argv_of.from_command(command)
    local path = argv and vim.fn.exepath(argv[1]) or ''
    if path ~= '' and not vim.list_contains(vim.tbl_values(found), path) then
      found[argv[1]] = path
    end
  end
  return found
end

local function check_command()
  local config = require('claude_bridge.config').get().terminal
  local argv, problem = require('claude_bridge.terminal.argv').from_command(config.cmd)
  if not argv then
    health.error('The option `terminal.cmd` cannot be run: ' .. problem)
  elseif vim.fn.executable(argv[1]) ~= 1 then
    health.warn(('%s (option `terminal.cmd`) is not an executable on PATH'):format(argv[1]), {
      'Install Claude Code: npm install -g @anthropic-ai/claude-code',
      'Or set the option `terminal.cmd` to your agent.',
    })
  end
end

--- Claude Code keeps the choice of its /config in a file beside its folder.
---@return table
local function settings_of_claude_code()
  local folder = vim.env.CLAUDE_CONFIG_DIR or ''
  local path = vim.fs.joinpath(folder ~= '' and folder or vim.uv.os_homedir(), '.claude.json')
  local file = io.open(path, 'r')
  if not file then
    return {}
  end
  local ok, settings = pcall(vim.json.decode, file:read('*a'))
  file:close()
  return ok and type(settings) == 'table' and settings or {}
end

--- Why edits may not be reviewed here although all is well.
local function check_reviews()
  local in_terminal = settings_of_claude_code().diffTool == 'terminal'
  if not require('claude_bridge.config').get().diff.enabled then
    health.info('The option `diff.enabled` is off: agents ask about edits in their own terminal')
    if not in_terminal then
      health.warn('Claude Code is not set to show edits there: it asks without their text', {
        'Type /config there, and set "Diff tool" to "terminal".',
      })
    end
  elseif in_terminal then
    health.warn('Claude Code is set to show edits in its own terminal', {
      'Type /config there, and set "Diff tool" to "auto".',
    })
  end
end

function M.check()
  check_command()
  check_reviews()
  local programs = installed()
  local answers = require('claude_bridge.health.run').versions(programs)
  for name, path in vim.spairs(programs) do
    local answer = answers[name]
    if answer.text then
      health.ok(('%s: %s (%s)'):format(name, answer.text, path))
    else
      health.warn(('%s (%s): %s'):format(name, path, answer.problem))
    end
  end
  if programs.opencode then
    health.info(
      'opencode takes CLAUDE_CODE_SSE_PORT for an editor without a token and is refused: start it by :ClaudeBridgeTerminal opencode, or type CLAUDE_CODE_SSE_PORT= opencode'
    )
  end
  health.info(
    'Claude Code shows its model two tools of an editor only, getDiagnostics and executeCode. That is how it is made: selections, mentions and reviews need no tool that the model sees.'
  )
end

return M
