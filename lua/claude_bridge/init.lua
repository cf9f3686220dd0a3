--- The Lua interface. Nothing here is needed for the commands to work.
local M = {}

--- Stores options; see `:help claude_bridge-options`. They can be set by `vim.g.claude_bridge` too.
---@param options? table|fun(): table
function M.setup(options)
  require('claude_bridge.config').setup(options)
end

--- Starts the bridge without waiting for it; `User ClaudeBridgeStarted` tells when it listens.
function M.start()
  require('claude_bridge.config').reload()
  require('claude_bridge.host').start()
end

function M.stop()
  require('claude_bridge.host').stop()
end

function M.restart()
  require('claude_bridge.config').reload()
  require('claude_bridge.host').restart()
end

---@return boolean
function M.is_running()
  return require('claude_bridge.session').info().state == 'ready'
end

---@return boolean whether an agent is connected
function M.is_connected()
  return #require('claude_bridge.session').info().clients > 0
end

--- For a status line or a winbar; '' while the bridge does not run.
---@return string
function M.statusline()
  return require('claude_bridge.statusline').text()
end

--- Shows the agent's terminal, or hides it; see |:ClaudeBridgeTerminal|.
---@param options? { args?: string, restart?: boolean }
function M.terminal(options)
  require('claude_bridge.ui').guard(function()
    require('claude_bridge.terminal').toggle(options)
  end)
end

--- Mentions files or folders to the agents; see |:ClaudeMention|.
---@param paths string|string[]
---@param lines? { first: integer, last: integer } 1-based, inclusive
function M.mention(paths, lines)
  require('claude_bridge.ui').guard(function()
    require('claude_bridge.commands').mention(paths, lines)
  end)
end

--- Whether agents are told which files are open and what is selected.
---@return boolean
function M.is_sharing()
  return require('claude_bridge.sharing').is_on()
end

--- Types text into the agent's terminal.
---@param text string
---@param options? { submit?: boolean }
function M.send_text(text, options)
  require('claude_bridge.ui').guard(function()
    require('claude_bridge.terminal').send_text(text, options)
  end)
end

return M
