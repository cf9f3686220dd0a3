--- What the commands do. Whatever goes wrong is told in one line.
local M = {}

--- A bridge that has only just been started takes mentions already, and keeps them for its agents.
---@param send fun()
local function with_bridge(send)
  if require('claude_bridge.channel').is_attached() or require('claude_bridge.host').start() then
    send()
  end
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

--- A count before the command or before the keys that are mapped to it.
---@param args vim.api.keyset.create_user_command.command_args
---@return integer
local function count_of(args)
  return args.count > 0 and args.count or vim.v.count1
end

local function start()
  require('claude_bridge').start()
  local session = require('claude_bridge.session')
  session.on_ready(function()
    require('claude_bridge.ui').hint(
      ('listens on port %d; start the agent in a :terminal, or by :ClaudeBridgeTerminal'):format(
        session.info().port
      )
    )
  end)
end

---@type table<string, fun(args: vim.api.keyset.create_user_command.command_args)>
local actions = {
  ClaudeBridgeStart = start,
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
  ClaudeBridgeFocus = function(args)
    require('claude_bridge.terminal').focus(args.args)
  end,
  ClaudeMention = function(args)
    with_bridge(function()
      require('claude_bridge.mention').send(args)
    end)
  end,
  ClaudeMentionDiagnostic = function()
    with_bridge(function()
      require('claude_bridge.mention').send_diagnostic()
    end)
  end,
  ClaudeSharing = function(args)
    require('claude_bridge.sharing').switch(args.args)
  end,
  ClaudeSendText = function(args)
    require('claude_bridge.terminal').send_text(args.args, { submit = not args.bang })
  end,
  ClaudeDiffAccept = function(args)
    if args.bang then
      require('claude_bridge.review').accept_all()
    elseif args.range > 0 then
      require('claude_bridge.review').accept_lines(args.line1, args.line2)
    else
      require('claude_bridge.review').accept()
    end
  end,
  ClaudeDiffReject = function(args)
    local review = require('claude_bridge.review')
    local reject = args.bang and review.reject_all or review.reject
    reject(args.args ~= '' and args.args or nil)
  end,
  ClaudeHunkAccept = function()
    require('claude_bridge.review.hunk_commands').accept()
  end,
  ClaudeHunkReject = function(args)
    local commands = require('claude_bridge.review.hunk_commands')
    if args.range > 0 then
      commands.reject_lines(args.line1, args.line2)
    else
      commands.reject()
    end
  end,
  ClaudeHunkNext = function(args)
    require('claude_bridge.review.hunk_commands').next(count_of(args))
  end,
  ClaudeHunkPrevious = function(args)
    require('claude_bridge.review.hunk_commands').previous(count_of(args))
  end,
  ClaudeDiffs = function()
    require('claude_bridge.review').jump()
  end,
  ClaudeDiffDisk = function(args)
    require('claude_bridge.disk_diff').show(args.args ~= '' and args.args or nil)
  end,
  ClaudeDiffRecall = function()
    require('claude_bridge.review').recall()
  end,
  ClaudeKernelAllow = function()
    require('claude_bridge.kernel').allow()
  end,
  ClaudeKernelRefuse = function()
    require('claude_bridge.kernel').refuse()
  end,
  ClaudeKernelJoin = function(args)
    require('claude_bridge.notebook').join(args.args ~= '' and args.args or nil)
  end,
  ClaudeKernelInterrupt = function()
    require('claude_bridge.kernel').interrupt()
  end,
  ClaudeKernelRestart = function()
    require('claude_bridge.kernel').restart()
  end,
  ClaudeKernelStop = function()
    require('claude_bridge.kernel').stop()
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

--- Mentions paths for the Lua interface.
---@param paths string|string[]
---@param lines? { first: integer, last: integer } 1-based, inclusive
function M.mention(paths, lines)
  with_bridge(function()
    require('claude_bridge.mention').send_paths(paths, lines)
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
