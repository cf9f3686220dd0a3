--- Runs the agent outside Neovim, by the user's own command: tmux, kitty, another terminal.

--- A terminal multiplexer starts the agent from a server of its own, which has another
--- environment: `env` carries the variables there.
---@param spec claude_bridge.TerminalSpec
---@return string[]
local function with_environment(spec)
  if vim.fn.has('win32') == 1 or vim.tbl_isempty(spec.env) then
    return spec.argv
  end
  local argv = { 'env' }
  for name, value in vim.spairs(spec.env) do
    argv[#argv + 1] = name .. '=' .. value
  end
  return vim.list_extend(argv, spec.argv)
end

---@param spec claude_bridge.TerminalSpec
---@return string[]? argv nil: the user's function has started the agent
local function command_line(spec)
  local external = require('claude_bridge.config').get().terminal.external
  if not external then
    error({ message = 'the provider `external` needs the option `terminal.external`' })
  end
  if type(external) == 'table' and vim.islist(external) then
    local argv = vim.tbl_map(function(word)
      return (word:gsub('{cwd}', (spec.cwd:gsub('%%', '%%%%'))))
    end, external)
    return vim.list_extend(argv, with_environment(spec))
  end
  return external(with_environment(spec), { cwd = spec.cwd, env = spec.env })
end

---@param spec claude_bridge.TerminalSpec
local function open(spec)
  local argv = command_line(spec)
  if not argv then
    return
  end
  if vim.fn.executable(argv[1]) ~= 1 then
    error({ message = ('%s (option `terminal.external`) is not an executable'):format(argv[1]) })
  end
  local said = {}
  vim.fn.jobstart(argv, {
    cwd = spec.cwd,
    env = spec.env,
    detach = true,
    on_stderr = function(_, lines)
      vim.list_extend(said, lines)
    end,
    on_exit = function(_, code)
      if code ~= 0 then
        local text = ('%s ended with exit code %d: %s'):format(
          argv[1],
          code,
          table.concat(said, ' ')
        )
        require('claude_bridge.ui').notify({ level = 'error', message = text })
      end
    end,
  })
end

return require('claude_bridge.terminal.outside').provider(open)
