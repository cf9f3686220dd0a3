--- A component for lualine: `lualine_x = { 'claude_bridge' }`. Loaded by lualine alone.
local Component = require('lualine.component'):extend()

--- Coloured where something waits for the user.
local function needs_user()
  local status = vim.g.claude_bridge_status or {}
  return status.state == 'failed' or (status.reviews or 0) > 0
end

function Component:init(options)
  options.color = options.color or function()
    return needs_user() and 'WarningMsg' or nil
  end
  Component.super.init(self, options)
end

--- lualine leaves a component out whose text is empty.
---@return string
function Component:update_status()
  -- The status is unset until the bridge is used: nothing of it loads before.
  return vim.g.claude_bridge_status and require('claude_bridge').statusline() or ''
end

return Component
