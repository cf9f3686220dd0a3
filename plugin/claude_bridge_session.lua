-- Names of the commands and maps of live sessions. What they do loads at first use.
if vim.g.loaded_claude_bridge_session then
  return
end
vim.g.loaded_claude_bridge_session = 1

local function complete_path(lead)
  return vim.fn.getcompletion(lead, 'file')
end

local function completion(name)
  return function(lead)
    return require('claude_bridge.chat.commands').complete(name, lead)
  end
end

---@type table<string, vim.api.keyset.user_command>
local commands = {
  ClaudeSession = {
    nargs = '?',
    bang = true,
    complete = completion('ClaudeSession'),
    desc = 'Open a session with an agent, or show the running one',
  },
  ClaudeSessionHide = { desc = 'Close the windows of the session; it goes on' },
  ClaudeSessionClose = { desc = 'End the session and its agent' },
  ClaudeSessionSend = { nargs = '?', range = true, desc = 'Send a text, or what is in the prompt' },
  ClaudeSessionAttach = {
    nargs = '?',
    range = true,
    bang = true,
    complete = complete_path,
    desc = 'Add a file to what is sent next',
  },
  ClaudeSessionCancel = { desc = 'Cancel what the agent is doing' },
  ClaudeSessionPause = { desc = 'Pause the session' },
  ClaudeSessionResume = { desc = 'Go on with a paused session' },
  ClaudeSessionReset = { desc = 'Begin a new conversation' },
  ClaudeSessionList = { desc = 'List the conversations that the agent remembers' },
  ClaudeSessionSwitch = {
    nargs = '?',
    complete = completion('ClaudeSessionSwitch'),
    desc = 'Go on with another conversation',
  },
  ClaudeSessionLoad = {
    nargs = '?',
    complete = completion('ClaudeSessionLoad'),
    desc = 'Go on with another conversation, and show what was said in it',
  },
  ClaudeSessionModel = {
    nargs = '?',
    complete = completion('ClaudeSessionModel'),
    desc = 'Set the model',
  },
  ClaudeSessionMode = {
    nargs = '?',
    complete = completion('ClaudeSessionMode'),
    desc = 'Set the permission mode',
  },
  ClaudeSessionAnswer = {
    nargs = '?',
    complete = completion('ClaudeSessionAnswer'),
    desc = 'Go to what the agent asks, or answer it',
  },
  ClaudeSessionAllow = { desc = 'Allow what the agent asks for, once' },
  ClaudeSessionAllowAlways = { desc = 'Allow what the agent asks for, always' },
  ClaudeSessionReject = { nargs = '?', desc = 'Reject what the agent asks for' },
  ClaudeSessionRejectAlways = { nargs = '?', desc = 'Reject what the agent asks for, always' },
  ClaudeSessionOlder = { desc = 'Put the text that was sent before into the prompt' },
  ClaudeSessionNewer = { desc = 'Put the text that was sent after into the prompt' },
  ClaudeSessionFold = { desc = 'Open or close the entry at the cursor' },
  ClaudeSessionOutput = { desc = 'Show the whole text of the entry at the cursor' },
  ClaudeSessionNext = { desc = 'Go to the next entry' },
  ClaudeSessionPrevious = { desc = 'Go to the entry before' },
}

for name, options in pairs(commands) do
  -- Where there are arguments, a bar may be part of a path or of a text.
  options.bar = options.nargs == nil
  vim.api.nvim_create_user_command(name, function(args)
    require('claude_bridge.chat.commands').run(name, args)
  end, options)
  local plug, run = ('<Plug>(%s)'):format(name), ('<Cmd>%s<CR>'):format(name)
  for _, mode in ipairs({ 'n', 'i', 't' }) do
    vim.api.nvim_set_keymap(mode, plug, run, { desc = options.desc })
  end
end

-- These begin a command line with the visual range.
for _, name in ipairs({ 'ClaudeSessionAttach', 'ClaudeSessionSend' }) do
  local plug, run = ('<Plug>(%s)'):format(name), (':%s '):format(name)
  vim.api.nvim_set_keymap('x', plug, run, { desc = commands[name].desc })
end
