--- A few characters for a status line, a winbar or lualine.
local M = {}

--- '' while the bridge does not run; else the number of agents, and of reviews that wait.
---@return string
function M.text()
  local info = require('claude_bridge.session').info()
  if info.state == 'starting' then
    return 'Claude …'
  end
  if info.state == 'failed' then
    return 'Claude !'
  end
  if info.state ~= 'ready' then
    return ''
  end
  local clients, reviews = #info.clients, #info.reviews
  local agents = clients == 0 and '-' or tostring(clients)
  if reviews == 0 then
    return 'Claude ' .. agents
  end
  return ('Claude %s, %d %s'):format(agents, reviews, reviews == 1 and 'review' or 'reviews')
end

return M
