--- Runs the agent in a terminal of snacks.nvim, whose windows and keys the user has set up there.
---@type claude_bridge.TerminalProvider
local M = {}

---@class claude_bridge.SnacksTerminal
---@field spec claude_bridge.TerminalSpec
---@field window table a `snacks.win`
---@field job? integer nil: ended

---@type table<string, claude_bridge.SnacksTerminal>
local terminals = {}

---@param spec claude_bridge.TerminalSpec
local function key_of(spec)
  return spec.agent .. '\n' .. spec.cwd
end

---@return table
local function snacks()
  local found, module = pcall(require, 'snacks')
  if not found then
    error({ message = 'the provider `snacks` needs snacks.nvim, which is not installed' })
  end
  return module
end

---@param terminal claude_bridge.SnacksTerminal
---@param code integer
local function on_exit(terminal, code)
  terminal.job = nil
  require('claude_bridge.session').emit('TerminalClosed', {
    agent = terminal.spec.agent,
    cwd = terminal.spec.cwd,
    code = code,
  })
  if terminals[key_of(terminal.spec)] ~= terminal then
    return
  elseif code == 0 and require('claude_bridge.config').get().terminal.auto_close then
    vim.schedule(function()
      terminal.window:close()
    end)
  else
    local text = '%s has ended with exit code %d; :ClaudeBridgeTerminal starts it again'
    require('claude_bridge.ui').notify({
      level = code == 0 and 'info' or 'warn',
      message = text:format(terminal.spec.agent, code),
    })
  end
end

---@param spec claude_bridge.TerminalSpec
---@return claude_bridge.SnacksTerminal
local function start(spec)
  local options = require('claude_bridge.config').get().terminal
  local window = snacks().terminal.open(spec.argv, {
    cwd = spec.cwd,
    env = spec.env,
    auto_insert = options.auto_insert,
    -- It would call an agent that we end ourselves a failure.
    auto_close = false,
    win = vim.tbl_deep_extend('force', {
      position = options.side,
      width = options.width,
      fixbuf = true,
    }, options.snacks),
  })
  local terminal = { spec = spec, window = window, job = vim.b[window.buf].terminal_job_id }
  require('claude_bridge.terminal.paste').join()
  vim.b[window.buf].claude_bridge_terminal = { agent = spec.agent, cwd = spec.cwd }
  require('claude_bridge.autocmd').create('TermClose', {
    buffer = window.buf,
    once = true,
    callback = function()
      on_exit(terminal, vim.v.event.status)
    end,
  })
  return terminal
end

function M.is_running(spec)
  local terminal = terminals[key_of(spec)]
  return terminal ~= nil and terminal.job ~= nil and terminal.window:buf_valid()
end

function M.open(spec)
  if M.is_running(spec) then
    terminals[key_of(spec)].window:show():focus()
    return
  end
  M.close(spec)
  terminals[key_of(spec)] = start(spec)
end

function M.hide(spec)
  local terminal = terminals[key_of(spec)]
  if not terminal or not terminal.window:win_valid() or not terminal.window:on_current_tab() then
    return false
  end
  terminal.window:hide()
  return true
end

function M.close(spec)
  local terminal = terminals[key_of(spec)]
  terminals[key_of(spec)] = nil
  if terminal then
    terminal.window:close({ buf = true })
  end
end

--- The one of this agent and folder, else any.
---@param spec claude_bridge.TerminalSpec
---@return claude_bridge.SnacksTerminal?
local function running(spec)
  if M.is_running(spec) then
    return terminals[key_of(spec)]
  end
  return vim.iter(vim.tbl_values(terminals)):find(function(terminal)
    return terminal.job ~= nil
  end)
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
