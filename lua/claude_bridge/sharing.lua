--- Whether agents are told what is open and selected. The user's switch wins over the option, and
--- outlives the node process: one that starts anew must not tell what was to be kept.
local M = {}

---@type table<string, fun(before: boolean): boolean>
local STATES = {
  on = function()
    return true
  end,
  off = function()
    return false
  end,
  toggle = function(before)
    return not before
  end,
}

---@type boolean? nil: as the option says
local switched

---@return boolean
function M.is_on()
  if switched ~= nil then
    return switched
  end
  return require('claude_bridge.config').get().selection.enabled
end

--- Switches, and tells the user how it is now.
---@param wish ''|'on'|'off'|'toggle' '': toggle
function M.switch(wish)
  local state = STATES[wish == '' and 'toggle' or wish]
  if not state then
    error({ message = ('%s is none of on, off, toggle'):format(wish) })
  end
  switched = state(M.is_on())
  require('claude_bridge.channel').notify({ kind = 'sharing', enabled = switched })
  if switched then
    -- What is shown now was not told, or was taken back.
    require('claude_bridge.events').tell_again()
  end
  require('claude_bridge.session').refresh()
  require('claude_bridge.ui').notify({
    level = 'info',
    message = switched and 'agents are told of open files and the selection'
      or 'agents are told nothing of open files and the selection; :ClaudeSharing on',
  })
end

---@param lead string
---@return string[]
function M.complete(lead)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, { 'off', 'on', 'toggle' })
end

return M
