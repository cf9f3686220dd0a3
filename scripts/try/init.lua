-- The configuration of `npm run try`: the bridge, and the agent in a terminal beside the file.
vim.opt.runtimepath:prepend(vim.env.CLAUDE_BRIDGE_TRY_PLUGIN)
vim.o.number = true
vim.o.termguicolors = vim.env.COLORTERM == 'truecolor'

local agent = vim.json.decode(vim.env.CLAUDE_BRIDGE_TRY_AGENT or '[]')
vim.g.claude_bridge = {
  auto_start = true,
  terminal = #agent > 0 and { cmd = agent } or nil,
}

if #agent > 0 then
  vim.api.nvim_create_autocmd('VimEnter', {
    callback = function()
      vim.cmd.ClaudeBridgeTerminal()
      vim.cmd.stopinsert()
      vim.cmd.wincmd('t')
    end,
  })
end
