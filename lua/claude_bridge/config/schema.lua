--- Every option, once: the validation, the defaults and the help file all come from this list.
---
--- Keep descriptions in plain sentences: they stand in `:help claude_bridge-options` as they are.

---@alias claude_bridge.OptionType 'boolean'|'string'|'integer'|'number'|'function'|'strings'|'commands'|'tables'|'variables'|'table'|'provider'

---@class (exact) claude_bridge.Option
---@field path string with dots between the groups
---@field types claude_bridge.OptionType[] any of them; 'strings' is a list of strings, 'commands' a table of name -> string or list, 'tables' one of name -> table, 'variables' one of name -> string, 'provider' a terminal provider
---@field default? any nil: unset
---@field values? string[] what a string, or each of a list, may be where not every string is right
---@field min? number
---@field max? number
---@field description string

---@type claude_bridge.Option[]
return {
  {
    path = 'auto_start',
    types = { 'boolean' },
    default = false,
    description = 'Start the bridge when Neovim has started.',
  },
  {
    path = 'agents',
    types = { 'strings' },
    values = { 'claude-code', 'sid-code', 'opencode' },
    description = 'The agents that can find this editor, each by a lock file where it looks for one. Unset: all of them, but sid-code only where its folder (~/.sid-code, or $SID_CONFIG_DIR) exists already.',
  },
  {
    path = 'node',
    types = { 'string' },
    description = 'The Node.js executable, a name or a path. Unset: `node` on PATH.',
  },
  {
    path = 'environment',
    types = { 'boolean' },
    default = true,
    description = 'While the bridge runs, set the variables by which an agent finds it (such as CLAUDE_CODE_SSE_PORT) in the environment of Neovim, so that an agent typed into any terminal of Neovim connects by itself. With false only |:ClaudeBridgeTerminal| gets them.',
  },
  {
    path = 'server.port',
    types = { 'integer' },
    default = 0,
    min = 0,
    max = 65535,
    description = 'The port to listen on. 0 takes any free one; fix it only where a container or a tunnel needs to know it.',
  },
  {
    path = 'server.host',
    types = { 'string' },
    default = '127.0.0.1',
    description = 'The address to listen on. Anything but a loopback address opens the bridge to the network: only the token protects it then.',
  },
  {
    path = 'server.names',
    types = { 'strings' },
    default = {},
    description = 'Further names by which agents may call this machine, for instance in the network of a container. The names of the machine for itself and those that Docker and Podman give it (host.docker.internal, host.containers.internal) are known, and addresses where `server.host` is no loopback address.',
  },
  {
    path = 'server.lock_dir',
    types = { 'string' },
    description = 'The folder of the lock file of Claude Code. Unset: $CLAUDE_CONFIG_DIR/ide, or ~/.claude/ide where that variable is not set.',
  },
  {
    path = 'server.transport',
    types = { 'string' },
    values = { 'ws', 'sse' },
    default = 'ws',
    description = 'How sid-code is told to connect: by WebSocket, or by HTTP with server-sent events where something between does not let WebSockets through. The other agents use WebSockets.',
  },
  {
    path = 'server.pid',
    types = { 'integer' },
    min = 1,
    description = 'The process id in the lock file, for an agent in a container, which cannot see that of Neovim: use one that lives in the container, such as 1. Unset: that of Neovim.',
  },
  {
    path = 'server.ide_name',
    types = { 'string' },
    default = 'Neovim',
    description = 'The name that agents show for this editor.',
  },
  {
    path = 'selection.enabled',
    types = { 'boolean' },
    default = true,
    description = 'Tell agents which file is open and what is selected. With false they learn only what is mentioned.',
  },
  {
    path = 'privacy.enabled',
    types = { 'boolean' },
    default = true,
    description = 'Keep the files of `privacy.exclude` from agents.',
  },
  {
    path = 'privacy.exclude',
    types = { 'strings' },
    default = {
      '.env*',
      '*.pem',
      '*.key',
      '*.p12',
      '*.pfx',
      '.netrc',
      '.pgpass',
      'id_rsa*',
      'id_dsa*',
      'id_ecdsa*',
      'id_ed25519*',
      '.ssh/',
      '.gnupg/',
      '.aws/credentials',
    },
    description = 'Glob patterns of files that no agent is told of by the bridge: no selection, no mention, no diagnostics, not in the list of open files. A pattern without a slash is for the name of a file in any folder, one with a slash at its end for all that is in a folder of that name, any other for the end of a path, or for a whole one where it begins with a slash. Your list replaces the default.',
  },
  {
    path = 'tools.outside_workspace',
    types = { 'boolean' },
    default = false,
    description = 'Let agents open and save files outside the workspace: the working directory, the root of its repository, and the folders of language servers. An edit can be proposed for any file; that only shows it.',
  },
  {
    path = 'diff.enabled',
    types = { 'boolean' },
    default = true,
    description = 'Review the edits of agents in Neovim. With false Claude Code asks in its own terminal; a new one shows the text of the edit there only if "Diff tool" in its `/config` is "terminal". For sid-code set `ide.diffPreview` to false instead: it would write unseen, so its edits are rejected.',
  },
  {
    path = 'diff.layout',
    types = { 'string' },
    values = { 'vertical', 'horizontal', 'tab', 'inline' },
    default = 'vertical',
    description = 'How a review is shown: side by side, one above the other, side by side in a tab page of its own, or in one window, with the removed lines between the others.',
  },
  {
    path = 'diff.focus',
    types = { 'boolean' },
    default = true,
    description = 'Move the cursor into a review when it opens. With false the focus stays where it is.',
  },
  {
    path = 'diff.jump',
    types = { 'boolean' },
    default = true,
    description = 'Put the cursor of a review on its first change.',
  },
  {
    path = 'terminal.provider',
    types = { 'string', 'provider' },
    values = { 'native', 'snacks', 'external', 'none' },
    default = 'native',
    description = 'Where |:ClaudeBridgeTerminal| runs the agent: in a terminal window of Neovim, in one of snacks.nvim, by the command of `terminal.external`, or nowhere, for who starts agents by hand. A table is a provider of your own, see |claude_bridge-terminal-provider|.',
  },
  {
    path = 'terminal.cmd',
    types = { 'string', 'strings' },
    default = 'claude',
    description = 'The command of the agent `claude`: a string, split at blanks outside quotes, or a list of arguments. It never goes through a shell.',
  },
  {
    path = 'terminal.agents',
    types = { 'commands' },
    default = {},
    description = 'Further agents by name, each with a command as in `terminal.cmd`; `:ClaudeBridgeTerminal name` runs one.',
  },
  {
    path = 'terminal.external',
    types = { 'strings', 'function' },
    description = "For the provider `external`: the start of a command line, to which the agent's own is appended (`{cwd}` stands for its folder); or a function that is given that command line and a table with `cwd` and `env`, and returns the whole command line as a list, or nil where it has started the agent itself.",
  },
  {
    path = 'terminal.send',
    types = { 'function' },
    description = 'For agents that run outside Neovim: how to type into them. A function that is given the text and a table with `submit` (whether to press <Enter>), `agent` and `cwd`. |:ClaudeSendText| uses it, and so does |:ClaudeDiffReject| for its reason.',
  },
  {
    path = 'terminal.env',
    types = { 'variables' },
    default = {},
    description = 'Further environment variables for agents that |:ClaudeBridgeTerminal| starts.',
  },
  {
    path = 'terminal.cwd',
    types = { 'string', 'function' },
    description = "The agent's working directory: a path, or a function that returns one. Unset: that of the current window.",
  },
  {
    path = 'terminal.side',
    types = { 'string' },
    values = { 'right', 'left' },
    default = 'right',
    description = 'The side of the screen for the terminal window.',
  },
  {
    path = 'terminal.width',
    types = { 'number' },
    default = 0.4,
    min = 0.05,
    description = 'The width of the terminal window: a share of the screen where it is below 1, else columns.',
  },
  {
    path = 'terminal.snacks',
    types = { 'table' },
    default = {},
    description = "For the provider `snacks`: options for its window, over `side` and `width`, such as { position = 'float', width = 0.8 }.",
  },
  {
    path = 'terminal.focus_after_mention',
    types = { 'boolean' },
    default = false,
    description = "Go to the agent's terminal after a mention, where one runs in Neovim.",
  },
  {
    path = 'terminal.auto_insert',
    types = { 'boolean' },
    default = false,
    description = 'Always go to terminal mode when the terminal window is entered. With false it is entered in the mode in which it was left, with its scroll position.',
  },
  {
    path = 'terminal.auto_close',
    types = { 'boolean' },
    default = true,
    description = 'Close the terminal window when the agent has ended without an error.',
  },
  {
    path = 'kernel.allow',
    types = { 'string' },
    values = { 'ask', 'always', 'never' },
    default = 'ask',
    description = 'Whether agents may run code in the Jupyter kernel of the notebook: after you have allowed the first code of their session, always, or never.',
  },
  {
    path = 'kernel.name',
    types = { 'string' },
    description = 'The kernel of notebooks that name none, or one that is not installed; `jupyter kernelspec list` lists them. Unset: python3, or the first kernel of the language of the notebook.',
  },
  {
    path = 'kernel.connection_file',
    types = { 'string' },
    description = 'Join the running kernel of this connection file instead of starting one: a path, or a file name in the runtime folder of Jupyter, as `%connect_info` prints it. |:ClaudeKernelJoin| does so for one notebook.',
  },
  {
    path = 'kernel.timeout_ms',
    types = { 'integer' },
    default = 120000,
    min = 0,
    max = 2147483647,
    description = 'Interrupt code that runs longer than this, in milliseconds. 0 for no limit.',
  },
  {
    path = 'kernel.startup_timeout_ms',
    types = { 'integer' },
    default = 60000,
    min = 1000,
    max = 2147483647,
    description = 'How long a kernel may take to start, or a joined one to become free, in milliseconds.',
  },
  {
    path = 'kernel.max_output_bytes',
    types = { 'integer' },
    default = 50000,
    min = 1000,
    description = 'How much text of one run an agent gets; the middle of longer output is left out.',
  },
  {
    path = 'kernel.max_image_bytes',
    types = { 'integer' },
    default = 5000000,
    min = 0,
    description = 'The largest image that an agent gets, in bytes of its base64 form.',
  },
  {
    path = 'session.agent',
    types = { 'string' },
    default = 'claude',
    description = 'The agent of `:ClaudeSession` without a name.',
  },
  {
    path = 'session.agents',
    types = { 'tables' },
    default = {},
    description = 'Agents for live sessions besides those that are built in (claude, codex, copilot, gemini, goose, opencode, qwen, sid-code), or other settings for these: name -> table, see |claude_bridge-session-agents|.',
  },
  {
    path = 'session.attachment_limit',
    types = { 'integer' },
    default = 1048576,
    min = 1,
    description = 'The largest file that is sent along with a text, in bytes; of a larger one the agent gets the name.',
  },
  {
    path = 'session.side',
    types = { 'string' },
    values = { 'right', 'left' },
    default = 'right',
    description = 'The side of the screen for the windows of a live session.',
  },
  {
    path = 'session.width',
    types = { 'number' },
    default = 0.4,
    min = 0.05,
    description = 'Their width: a share of the screen where it is below 1, else columns.',
  },
  {
    path = 'session.prompt_height',
    types = { 'integer' },
    default = 5,
    min = 1,
    description = 'The height of the prompt window, in lines.',
  },
  {
    path = 'log.level',
    types = { 'string' },
    values = { 'debug', 'info', 'warn', 'error' },
    default = 'info',
    description = 'The least severe kind of message that goes to the log.',
  },
  {
    path = 'log.path',
    types = { 'string' },
    description = "The log file; `~` and variables are expanded. Unset: claude-bridge.log in |stdpath()| 'log'. It never holds a token or the text of a buffer.",
  },
}
