-- All that loads when Neovim starts: names of commands and maps. What they do loads at first use.
if vim.g.loaded_claude_bridge then
  return
end
vim.g.loaded_claude_bridge = 1

local function complete_path(lead, line, column)
  return require('claude_bridge.mention').complete(lead, line, column)
end

local function complete_terminal(lead)
  return require('claude_bridge.commands').complete_terminal(lead)
end

local function complete_kernel(lead)
  return require('claude_bridge.notebook').complete_connection(lead)
end

---@type table<string, vim.api.keyset.user_command>
local commands = {
  ClaudeBridgeStart = { desc = 'Start the bridge' },
  ClaudeBridgeStop = { desc = 'Stop the bridge' },
  ClaudeBridgeRestart = { desc = 'Restart the bridge on the same port' },
  ClaudeBridgeStatus = { desc = 'Show the state of the bridge' },
  ClaudeBridgeLog = { desc = 'Open the log of the bridge' },
  ClaudeBridgeTerminal = {
    nargs = '*',
    bang = true,
    complete = complete_terminal,
    desc = "Show or hide the agent's terminal",
  },
  ClaudeBridgeFocus = {
    nargs = '*',
    complete = complete_terminal,
    desc = "Go to the agent's terminal and back",
  },
  -- Completion by a function: with `complete=file` Neovim would expand `%`, `$` and `[` in names.
  ClaudeMention = {
    nargs = '?',
    range = true,
    complete = complete_path,
    desc = 'Mention lines, a file or a folder to the agent',
  },
  ClaudeMentionDiagnostic = { desc = 'Mention the lines of the diagnostic at the cursor' },
  ClaudeSharing = {
    nargs = '?',
    complete = function(lead)
      return require('claude_bridge.sharing').complete(lead)
    end,
    desc = 'Tell agents of open files and the selection, or do not',
  },
  ClaudeSendText = { nargs = '+', bang = true, desc = "Type text into the agent's terminal" },
  ClaudeDiffAccept = {
    range = true,
    bang = true,
    desc = 'Accept the proposed edit, or what it changes in lines',
  },
  ClaudeDiffReject = { nargs = '?', bang = true, desc = 'Reject the proposed edit' },
  ClaudeHunkAccept = { desc = 'Leave the change at the cursor and go to the next' },
  ClaudeHunkReject = {
    range = true,
    desc = 'Take the change at the cursor, or those in lines, back',
  },
  ClaudeHunkNext = { count = 0, desc = 'Go to the next change of the proposed edit' },
  ClaudeHunkPrevious = { count = 0, desc = 'Go to the change before' },
  ClaudeDiffs = { desc = 'List the pending reviews and go to one' },
  ClaudeDiffDisk = {
    nargs = '?',
    complete = complete_path,
    desc = 'Compare a buffer with its file on disk',
  },
  ClaudeDiffRecall = { desc = 'Bring back an edited proposal whose review has ended' },
  ClaudeKernelAllow = { desc = 'Let the agent run the code that it shows, and later code' },
  ClaudeKernelRefuse = { desc = 'Do not run the code that the agent shows' },
  ClaudeKernelJoin = {
    nargs = '?',
    complete = complete_kernel,
    desc = 'Let the current notebook join a running kernel by its connection file',
  },
  ClaudeKernelInterrupt = { desc = 'Interrupt the code in the kernel of the notebook' },
  ClaudeKernelRestart = { desc = 'Restart the kernel of the notebook' },
  ClaudeKernelStop = { desc = 'Stop the kernel of the notebook, or leave a joined one' },
}

for name, options in pairs(commands) do
  -- Where there are arguments, a bar may be part of a path or of a text.
  options.bar = options.nargs == nil
  vim.api.nvim_create_user_command(name, function(args)
    require('claude_bridge.commands').run(name, args)
  end, options)
  local plug, run = ('<Plug>(%s)'):format(name), ('<Cmd>%s<CR>'):format(name)
  if options.nargs ~= '+' then
    vim.api.nvim_set_keymap('n', plug, run, { desc = options.desc })
    vim.api.nvim_set_keymap('t', plug, run, { desc = options.desc })
  end
end

-- These begin a command line: some take the visual range, the last a text.
for _, name in ipairs({ 'ClaudeMention', 'ClaudeDiffAccept', 'ClaudeHunkReject' }) do
  vim.api.nvim_set_keymap('x', ('<Plug>(%s)'):format(name), (':%s<CR>'):format(name), {
    silent = true,
  })
end
vim.api.nvim_set_keymap('n', '<Plug>(ClaudeSendText)', ':ClaudeSendText ', {})

-- The host that ships with the plugin, for `:UpdateRemotePlugins`: no global npm package needed.
if vim.g.node_host_prog == nil and vim.fn.has('nvim-0.10') == 1 then
  local file = debug.getinfo(1, 'S').source:sub(2)
  local host = vim.fn.fnamemodify(file, ':p:h:h') .. '/dist/host.cjs'
  if vim.uv.fs_stat(host) then
    vim.g.node_host_prog = host
  end
end

--- The options load only where the user has set some.
local function auto_start()
  local options_set = vim.g.claude_bridge ~= nil or package.loaded['claude_bridge.config'] ~= nil
  if options_set and require('claude_bridge.config').get().auto_start then
    require('claude_bridge.host').start()
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(auto_start)
else
  vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = vim.schedule_wrap(auto_start) })
end
