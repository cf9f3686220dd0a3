--- The highlight groups of sessions, all links that a colour scheme or the user may replace.
local M = {}

---@type table<string, string>
M.GROUPS = {
  ClaudeSessionUser = 'Title',
  ClaudeSessionThought = 'Comment',
  ClaudeSessionDetail = 'Comment',
  ClaudeSessionTool = 'Function',
  ClaudeSessionPending = 'Comment',
  ClaudeSessionRunning = 'DiagnosticInfo',
  ClaudeSessionDone = 'DiagnosticOk',
  ClaudeSessionFailed = 'DiagnosticError',
  ClaudeSessionInput = 'String',
  ClaudeSessionInfo = 'DiagnosticInfo',
  ClaudeSessionWarn = 'DiagnosticWarn',
  ClaudeSessionError = 'DiagnosticError',
  ClaudeSessionAdded = 'Added',
  ClaudeSessionRemoved = 'Removed',
  ClaudeSessionHunk = 'Changed',
  ClaudeSessionPath = 'Directory',
  ClaudeSessionHeading = 'Title',
  ClaudeSessionQuote = 'Comment',
  ClaudeSessionList = 'Special',
  ClaudeSessionCode = 'String',
  ClaudeSessionStrong = 'Bold',
  ClaudeSessionLink = 'Underlined',
  ClaudeSessionKey = 'Special',
  ClaudeSessionChosen = 'DiagnosticOk',
  ClaudeSessionWaiting = 'DiagnosticWarn',
}

function M.define()
  for name, link in pairs(M.GROUPS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  -- No standard group is only bold.
  vim.api.nvim_set_hl(0, 'Bold', { bold = true, default = true })
end

return M
