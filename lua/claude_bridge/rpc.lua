--- The one door through which the node side reaches Lua: every method is one whole step.
local M = {}

--- Method name -> module and function. A module loads when its first method is called.
local methods = {
  ['selection.current'] = { 'claude_bridge.selection', 'current' },
  ['documents.list'] = { 'claude_bridge.documents', 'list' },
  ['documents.state'] = { 'claude_bridge.documents', 'state' },
  ['documents.open'] = { 'claude_bridge.open', 'open' },
  ['documents.save'] = { 'claude_bridge.documents', 'save' },
  ['documents.reload'] = { 'claude_bridge.reload', 'reload' },
  ['diagnostics.read'] = { 'claude_bridge.diagnostics', 'read' },
  ['review.open'] = { 'claude_bridge.review', 'open' },
  ['review.prepare'] = { 'claude_bridge.review', 'prepare' },
  ['review.fill'] = { 'claude_bridge.review', 'fill' },
  ['review.text'] = { 'claude_bridge.review', 'text' },
  ['review.close'] = { 'claude_bridge.review', 'close' },
  ['environment.apply'] = { 'claude_bridge.environment', 'apply' },
  ['environment.restore'] = { 'claude_bridge.environment', 'restore' },
  ['session.ready'] = { 'claude_bridge.session', 'ready' },
  ['session.failed'] = { 'claude_bridge.session', 'failed' },
  ['session.state'] = { 'claude_bridge.session', 'state' },
  ['session.mentioned'] = { 'claude_bridge.session', 'mentioned' },
  ['session.keep_mentions'] = { 'claude_bridge.session', 'keep_mentions' },
  ['terminal.tell'] = { 'claude_bridge.terminal', 'tell' },
  ['ui.notify'] = { 'claude_bridge.ui', 'notify' },
  ['ui.status'] = { 'claude_bridge.ui', 'status' },
  ['chat.open'] = { 'claude_bridge.chat', 'open' },
  ['chat.apply'] = { 'claude_bridge.chat', 'apply' },
  ['chat.close'] = { 'claude_bridge.chat', 'close' },
  ['buffers.read'] = { 'claude_bridge.chat.buffers', 'read' },
  ['buffers.write'] = { 'claude_bridge.chat.buffers', 'write' },
  ['notebook.current'] = { 'claude_bridge.notebook', 'current' },
  ['kernel.ask'] = { 'claude_bridge.kernel', 'ask' },
  ['kernel.withdraw'] = { 'claude_bridge.kernel', 'withdraw' },
}

---@class claude_bridge.RpcReply
---@field ok boolean
---@field value? any
---@field code? 'expired'|'not-found'|'refused'|'failed'
---@field message? string

local function now_ms()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds * 1000 + microseconds / 1000
end

---@param thrown any
---@return claude_bridge.RpcReply
local function failure(thrown)
  if type(thrown) == 'table' and thrown.code then
    return { ok = false, code = thrown.code, message = tostring(thrown.message) }
  end
  return { ok = false, code = 'failed', message = tostring(thrown) }
end

--- Runs one method for the node side.
---@param name string
---@param params table
---@param deadline? number wall-clock ms; past it nothing is done, since the caller has given up
---@return claude_bridge.RpcReply
function M.call(name, params, deadline)
  local method = methods[name]
  if not method then
    return { ok = false, code = 'failed', message = 'unknown method ' .. tostring(name) }
  end
  if deadline and now_ms() > deadline then
    return { ok = false, code = 'expired', message = 'the caller has given up' }
  end
  local done, value = pcall(function()
    return require(method[1])[method[2]](params)
  end)
  if not done then
    return failure(value)
  end
  return { ok = true, value = value }
end

return M
