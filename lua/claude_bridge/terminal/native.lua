--- Runs the agent in a terminal window of Neovim.
---@type claude_bridge.TerminalProvider
local M = {}

---@class claude_bridge.Terminal
---@field spec claude_bridge.TerminalSpec
---@field buffer integer
---@field job? integer nil: ended
---@field place claude_bridge.TerminalPlace

---@type table<string, claude_bridge.Terminal>
local terminals = {}
--- The one that the user saw last.
---@type string?
local last_key

---@param spec claude_bridge.TerminalSpec
local function key_of(spec)
  return spec.agent .. '\n' .. spec.cwd
end

---@param terminal claude_bridge.Terminal
local function wipe(terminal)
  local key = key_of(terminal.spec)
  if terminals[key] == terminal then
    terminals[key] = nil
  end
  if vim.api.nvim_buf_is_valid(terminal.buffer) then
    terminal.place:close_everywhere()
    pcall(vim.api.nvim_buf_delete, terminal.buffer, { force = true })
  end
end

---@param terminal claude_bridge.Terminal
---@param code integer
local function on_exit(terminal, code)
  terminal.job = nil
  local key = key_of(terminal.spec)
  -- Wiped out by the user or taken over by a new start: nothing is left to report.
  local is_current = terminals[key] == terminal and vim.api.nvim_buf_is_valid(terminal.buffer)
  require('claude_bridge.session').emit('TerminalClosed', {
    agent = terminal.spec.agent,
    cwd = terminal.spec.cwd,
    code = code,
  })
  if not is_current then
    wipe(terminal)
  elseif code == 0 and require('claude_bridge.config').get().terminal.auto_close then
    wipe(terminal)
  else
    terminal.place:freeze()
    local text = '%s has ended with exit code %d; :ClaudeBridgeTerminal starts it again'
    require('claude_bridge.ui').notify({
      level = code == 0 and 'info' or 'warn',
      message = text:format(terminal.spec.agent, code),
    })
  end
end

--- Starts the job in the current window's buffer, which becomes the terminal.
---@param terminal claude_bridge.Terminal
---@return boolean, string? problem
local function start_job(terminal)
  local options = {
    cwd = terminal.spec.cwd,
    env = terminal.spec.env,
    on_exit = function(_, code)
      vim.schedule(function()
        on_exit(terminal, code)
      end)
    end,
  }
  local start = vim.fn.termopen
  if vim.fn.has('nvim-0.11') == 1 then
    start, options.term = vim.fn.jobstart, true
  end
  local ok, job = pcall(start, terminal.spec.argv, options)
  if not ok or job <= 0 then
    return false, ok and 'it could not be run' or tostring(job)
  end
  terminal.job = job
  return true
end

---@param spec claude_bridge.TerminalSpec
local function start(spec)
  local buffer = vim.api.nvim_create_buf(false, true)
  local place = require('claude_bridge.terminal.place').new(buffer)
  local terminal = { spec = spec, buffer = buffer, place = place }
  terminals[key_of(spec)] = terminal
  place:show()
  local ok, problem = start_job(terminal)
  if not ok then
    wipe(terminal)
    error({ message = ('%s: %s'):format(spec.argv[1], problem) })
  end
  require('claude_bridge.terminal.paste').join()
  vim.b[buffer].claude_bridge_terminal = { agent = spec.agent, cwd = spec.cwd }
  vim.bo[buffer].filetype = 'claude_bridge_terminal'
  place:watch()
  place:insert()
end

function M.is_running(spec)
  local terminal = terminals[key_of(spec)]
  return terminal ~= nil and terminal.job ~= nil and vim.api.nvim_buf_is_valid(terminal.buffer)
end

function M.open(spec)
  local own = terminals[key_of(spec)]
  if own and own.job and own.buffer == vim.api.nvim_get_current_buf() then
    return
  end
  require('claude_bridge.terminal.place').from_normal_mode(function()
    last_key = key_of(spec)
    local terminal = terminals[last_key]
    if terminal and M.is_running(spec) then
      terminal.place:show()
      return
    end
    if terminal then
      wipe(terminal)
    end
    require('claude_bridge.ui').guard(function()
      start(spec)
    end)
  end)
end

function M.hide(spec)
  local terminal = terminals[key_of(spec)]
  return terminal ~= nil and terminal.place:hide()
end

function M.close(spec)
  local terminal = terminals[key_of(spec)]
  if terminal then
    wipe(terminal)
  end
end

--- The terminal of this agent and folder, else the one seen last, else any.
---@param spec claude_bridge.TerminalSpec
---@return claude_bridge.Terminal?
local function running(spec)
  local own, last = terminals[key_of(spec)], terminals[last_key]
  for _, terminal in ipairs(vim.list_extend({ own or {}, last or {} }, vim.tbl_values(terminals))) do
    if terminal.job then
      return terminal
    end
  end
end

function M.send(spec, text, submit)
  local terminal = running(spec)
  return terminal ~= nil
    and require('claude_bridge.terminal.typing').type(terminal.job, text, submit)
end

function M.find(pid)
  return require('claude_bridge.terminal.typing').find(terminals, pid)
end

return M
