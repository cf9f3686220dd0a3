--- For who starts agents by hand, in tmux or another terminal: the bridge alone, no window.
---@type claude_bridge.TerminalProvider
local M = { needs_program = false }

function M.open()
  require('claude_bridge.ui').notify({
    level = 'info',
    message = 'the bridge runs; start the agent in your own terminal (option `terminal.provider`)',
  })
end

function M.is_running()
  return false
end

function M.hide()
  return false
end

function M.close() end

function M.find()
  return false
end

function M.send(spec, text, submit)
  return require('claude_bridge.terminal.outside').send(text, submit, spec)
end

return M
