--- The conversations that an agent remembers, to go on with one of them.
local M = {}

---@param stored { id: string, title: string, folder?: string, updated?: string, current: boolean }
local function option_of(stored)
  local when = stored.updated and stored.updated:sub(1, 16):gsub('T', ' ')
  local here = stored.current and 'this one'
  local parts = vim.tbl_filter(function(part)
    return part ~= ''
  end, { when or '', stored.folder or '', here or '' })
  return {
    value = stored.id,
    label = stored.title ~= '' and stored.title or stored.id,
    description = #parts > 0 and table.concat(parts, ' · ') or nil,
  }
end

--- Lets the user pick one, which is then loaded.
---@param session claude_bridge.ChatSession
---@param list table[]
function M.choose(session, list)
  session.stored = list
  if #list == 0 then
    local message = ('%s remembers no conversations'):format(session.agent)
    require('claude_bridge.ui').notify({ level = 'info', message = message })
    return
  end
  local asks = require('claude_bridge.chat.asks')
  asks.pick(session, 'Go on with which conversation?', vim.tbl_map(option_of, list), function(id)
    local can_load = vim.tbl_get(session.status, 'abilities', 'load')
    require('claude_bridge.channel').notify({
      kind = can_load == false and 'chat_switch' or 'chat_load',
      session = session.name,
      conversation = id,
    })
  end)
end

return M
