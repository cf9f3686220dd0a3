-- The configuration of `npm run try`: the bridge, and the agent in a terminal beside the file; or a
-- live session with the demo agent.
vim.opt.runtimepath:prepend(vim.env.CLAUDE_BRIDGE_TRY_PLUGIN)
vim.o.number = true
vim.o.termguicolors = vim.env.COLORTERM == 'truecolor'

local agent = vim.json.decode(vim.env.CLAUDE_BRIDGE_TRY_AGENT or '[]')
local of_session = vim.json.decode(vim.env.CLAUDE_BRIDGE_TRY_SESSION or '[]')
vim.g.claude_bridge = {
  auto_start = true,
  diff = { layout = vim.env.CLAUDE_BRIDGE_TRY_LAYOUT },
  terminal = #agent > 0 and { cmd = agent } or nil,
  session = #of_session > 0 and { agent = 'demo', agents = { demo = { command = of_session } } }
    or nil,
}

if #of_session > 0 then
  vim.api.nvim_create_autocmd('VimEnter', { command = 'ClaudeSession' })
end

if #agent > 0 then
  -- The agent's terminal opens when the bridge listens; the user begins in the file.
  vim.api.nvim_create_autocmd('TermOpen', {
    once = true,
    callback = vim.schedule_wrap(function()
      vim.cmd.stopinsert()
      vim.cmd.wincmd('t')
    end),
  })
  vim.api.nvim_create_autocmd('VimEnter', { command = 'ClaudeBridgeTerminal' })
end
