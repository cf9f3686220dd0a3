--- A few characters for a status line, a winbar or lualine.
local M = {}

--- '' while the bridge does not run; else the number of agents, and of reviews that wait, and
--- `private` where nothing of open files and the selection is told.
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
  local parts = { clients == 0 and '-' or tostring(clients) }
  if reviews > 0 then
    parts[#parts + 1] = ('%d %s'):format(reviews, reviews == 1 and 'review' or 'reviews')
  end
  if not require('claude_bridge.sharing').is_on() then
    parts[#parts + 1] = 'private'
  end
  return 'Claude ' .. table.concat(parts, ', ')
end

return M
