--- Types into agents that run outside Neovim, by the user's own function.
local M = {}

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

return M
