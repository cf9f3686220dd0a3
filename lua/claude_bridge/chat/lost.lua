--- The node process is gone, and all sessions with it.
local M = {}

--- Ends the sessions here; what the user wrote and nobody got is in the prompt buffers again.
function M.all()
  for _, session in ipairs(require('claude_bridge.chat.sessions').live()) do
    session.compose:recover()
    require('claude_bridge.chat').close({
      session = session.name,
      message = 'The bridge has ended, and this session with it. :ClaudeSession begins another.',
    })
  end
end

return M
