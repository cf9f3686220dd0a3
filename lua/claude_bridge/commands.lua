--- What the commands do. Whatever goes wrong is told in one line.
local M = {}

---@param args vim.api.keyset.create_user_command.command_args
---@return { path?: string, first?: integer, last?: integer } lines 0-based, both included
local function mention_of(args)
  local mention = { path = args.args ~= '' and args.args or nil }
  if args.range > 0 then
    mention.first, mention.last = args.line1 - 1, args.line2 - 1
  end
  return mention
end

--- Waits for the bridge, and then takes the place where the user asked.
local function mention(args)
  local asked, buffer = mention_of(args), vim.api.nvim_get_current_buf()
  local ui = require('claude_bridge.ui')
  require('claude_bridge.session').when_ready(function()
    ui.guard(function()
      if not vim.api.nvim_buf_is_valid(buffer) then
        error({ message = 'the buffer to mention is gone' })
      end
      vim.api.nvim_buf_call(buffer, function()
        require('claude_bridge.mention').send(asked)
      end)
    end)
  end)
end

local function status()
  if require('claude_bridge.channel').notify({ kind = 'status' }) then
    return
  end
  local info = require('claude_bridge.session').info()
  local lines = { 'The bridge does not run.' }
  if info.message then
    vim.list_extend(lines, { '', 'It could not start:', '  ' .. info.message })
  end
  vim.list_extend(lines, {
    '',
    ':ClaudeBridgeStart          starts it',
    ':ClaudeBridgeTerminal       starts it, and the agent in a terminal',
    ':checkhealth claude_bridge  looks for what is missing',
  })
  require('claude_bridge.ui').status({ lines = lines })
end

---@type table<string, fun(args: vim.api.keyset.create_user_command.command_args)>
local actions = {
  ClaudeBridgeStart = function()
    require('claude_bridge').start()
  end,
  ClaudeBridgeStop = function()
    require('claude_bridge').stop()
  end,
  ClaudeBridgeRestart = function()
    require('claude_bridge').restart()
  end,
  ClaudeBridgeStatus = status,
  ClaudeBridgeLog = function()
    require('claude_bridge.log').open()
  end,
  ClaudeBridgeTerminal = function(args)
    require('claude_bridge.terminal').toggle({ args = args.args, restart = args.bang })
  end,
  ClaudeMention = mention,
  ClaudeSendText = function(args)
    require('claude_bridge.terminal').send_text(args.args, { submit = not args.bang })
  end,
  ClaudeDiffAccept = function()
    require('claude_bridge.review').accept()
  end,
  ClaudeDiffReject = function(args)
    require('claude_bridge.review').reject(args.args ~= '' and args.args or nil)
  end,
  ClaudeDiffs = function()
    require('claude_bridge.review').jump()
  end,
  ClaudeDiffRecall = function()
    require('claude_bridge.review').recall()
  end,
}

---@param name string
---@param args vim.api.keyset.create_user_command.command_args
function M.run(name, args)
  if vim.fn.has('nvim-0.10') == 0 then
    vim.api.nvim_err_writeln('Claude Bridge needs Neovim 0.10 or later')
    return
  end
  require('claude_bridge.ui').guard(function()
    actions[name](args)
  end)
end

--- Completes the names of the agents.
---@param lead string
---@return string[]
function M.complete_terminal(lead)
  return vim.tbl_filter(function(agent)
    return vim.startswith(agent, lead)
  end, require('claude_bridge.terminal').agents())
end

return M
