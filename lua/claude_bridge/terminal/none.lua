--- For who starts agents by hand, in tmux or another terminal: the bridge alone, no window.
return require('claude_bridge.terminal.outside').provider(function()
  require('claude_bridge.ui').notify({
    level = 'info',
    message = 'the bridge runs; start the agent in your own terminal (option `terminal.provider`)',
  })
end)
