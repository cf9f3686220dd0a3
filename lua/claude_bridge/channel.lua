--- The way from Lua to the node side: notifications only, so that the editor never waits.
local M = {}

---@type integer?
local channel
---@type string?
local method

--- Points notifications at a running host.
---@param id integer channel of the job
---@param rpc_method string the remote plugin's function in its wire form, `<path>:function:<name>`
function M.attach(id, rpc_method)
  channel, method = id, rpc_method
end

--- Forgets the host; later notifications are dropped.
function M.detach()
  channel, method = nil, nil
end

---@return boolean
function M.is_attached()
  return channel ~= nil
end

--- Sends one event. A host that has just died is no error: its exit handler tells the user.
---@param event table with a `kind`
---@return boolean sent
function M.notify(event)
  if not channel then
    return false
  end
  return (pcall(vim.rpcnotify, channel, method, { event }))
end

return M
