--- Agents that run outside Neovim, which sees and ends none of them.
local M = {}

--- Types by the user's own function.
---@param text string
---@param submit boolean
---@param spec? { agent: string, cwd: string }
---@return boolean sent false where there is no such function
function M.send(text, submit, spec)
  local send = require('claude_bridge.config').get().terminal.send
  if not send then
    return false
  end
  send(text, { submit = submit, agent = spec and spec.agent, cwd = spec and spec.cwd })
  return true
end

local function no()
  return false
end

---@param open fun(spec: claude_bridge.TerminalSpec) each call may start an agent
---@return claude_bridge.TerminalProvider
function M.provider(open)
  return {
    needs_program = false,
    open = open,
    -- A command that started an agent may well have ended while the agent runs on.
    is_running = no,
    hide = no,
    close = function() end,
    find = no,
    send = function(spec, text, submit)
      return M.send(text, submit, spec)
    end,
  }
end

return M
