--- What the node side has told: whether the bridge runs, where, and who is connected.
local M = {}

---@class claude_bridge.Client
---@field id string
---@field name? string
---@field version? string
---@field pid? integer
---@field state? 'open'|'initializing'|'ready' of the handshake

---@class claude_bridge.SessionInfo
---@field state 'stopped'|'starting'|'ready'|'failed'
---@field port? integer
---@field lock_files string[]
---@field clients claude_bridge.Client[]
---@field reviews table[]
---@field message? string why it failed

---@return claude_bridge.SessionInfo
local function nothing(state)
  return { state = state, lock_files = {}, clients = {}, reviews = {} }
end

local info = nothing('stopped')
--- Kept when the bridge ends: clients find their way back by the same port and token.
---@type { port: integer, token: string }?
local previous
---@class claude_bridge.Mention
---@field path string absolute
---@field first? integer 0-based
---@field last? integer inclusive

---@type claude_bridge.Mention[]
local mentions = {}
---@type { ready: fun(), failed?: fun(message: string) }[]
local waiting = {}

--- Tells the user's own autocommands, after the caller is done: none can hold the bridge up.
---@param name string without the prefix `ClaudeBridge`
---@param data? table
function M.emit(name, data)
  vim.schedule(function()
    -- By way of `vim.fn` an error of theirs is one that can be caught, and no page of red text.
    local ok, problem = pcall(vim.fn.call, function()
      vim.api.nvim_exec_autocmds('User', {
        pattern = 'ClaudeBridge' .. name,
        modeline = false,
        data = data,
      })
    end, {})
    if not ok then
      local message = ('an autocommand for User ClaudeBridge%s failed: %s'):format(
        name,
        tostring(problem):gsub('%s*stack traceback:.*', '')
      )
      require('claude_bridge.ui').notify({ level = 'error', message = message })
    end
  end)
end

--- What status lines read; never the token.
local function publish()
  vim.g.claude_bridge_status = {
    state = info.state,
    port = info.port,
    clients = #info.clients,
    reviews = #info.reviews,
    sharing = require('claude_bridge.sharing').is_on(),
  }
  vim.schedule(function()
    vim.cmd.redrawstatus({ bang = true })
  end)
end

---@param next_info claude_bridge.SessionInfo
local function become(next_info)
  local gone = info.clients
  local was_ready = info.state == 'ready'
  info = next_info
  publish()
  for _, client in ipairs(next_info.state == 'ready' and {} or gone) do
    M.emit('Disconnected', client)
  end
  if was_ready and next_info.state ~= 'ready' then
    M.emit('Stopped')
  end
end

---@param message? string nil: ready
local function settle(message)
  local settled = waiting
  waiting = {}
  for _, waiter in ipairs(settled) do
    local callback = message and waiter.failed or not message and waiter.ready or nil
    if callback then
      vim.schedule(function()
        callback(message)
      end)
    end
  end
end

--- A process that was killed leaves its lock files behind; agents would knock where nobody is.
local function remove_locks()
  for _, path in ipairs(previous and info.lock_files or {}) do
    local stat = vim.uv.fs_lstat(path)
    local file = stat and stat.type == 'file' and io.open(path, 'r')
    local text = file and file:read('*a') or ''
    if file then
      file:close()
    end
    if text:find(previous.token, 1, true) then
      vim.uv.fs_unlink(path)
    end
  end
end

--- The process has been started.
function M.starting()
  become(nothing('starting'))
end

--- The bridge listens and its lock files are written.
---@param params { port: integer, token: string, lock_files: string[] }
function M.ready(params)
  require('claude_bridge.host').mark_ready()
  previous = { port = params.port, token = params.token }
  local ready = nothing('ready')
  ready.port, ready.lock_files = params.port, params.lock_files
  become(ready)
  M.emit('Started', { port = params.port })
  settle()
end

--- The bridge could not start. The user is told here, once.
---@param params { message: string }
function M.failed(params)
  require('claude_bridge.host').mark_failed()
  require('claude_bridge.environment').restore()
  local failed = nothing('failed')
  failed.message = params.message
  become(failed)
  require('claude_bridge.ui').notify({
    level = 'error',
    message = 'the bridge could not start: ' .. params.message,
  })
  settle(params.message)
end

--- The process has ended as it was asked to.
function M.stopped()
  M.lost()
end

--- The process is gone; it may not have put the environment back itself.
function M.lost()
  require('claude_bridge.environment').restore()
  remove_locks()
  if info.state ~= 'failed' then
    become(nothing('stopped'))
  end
  -- Another start may follow right away; it is the one that they wait for then.
  vim.schedule(function()
    if info.state == 'stopped' then
      settle('the bridge has ended')
    end
  end)
end

---@param list claude_bridge.Client[]
---@return table<string, claude_bridge.Client>
local function by_id(list)
  local found = {}
  for _, client in ipairs(list) do
    found[client.id] = client
  end
  return found
end

--- Who is connected and what is under review, after each change. A client counts from the end of
--- its handshake on: only then it has a name.
---@param params { clients: claude_bridge.Client[], reviews: table[] }
function M.state(params)
  local connected = vim.tbl_filter(function(client)
    return client.state == nil or client.state == 'ready'
  end, params.clients)
  local before, after = by_id(info.clients), by_id(connected)
  info.clients, info.reviews = connected, params.reviews
  publish()
  for id, client in vim.spairs(after) do
    if not before[id] then
      M.emit('Connected', client)
    end
  end
  for id, client in vim.spairs(before) do
    if not after[id] then
      M.emit('Disconnected', client)
    end
  end
end

--- An agent has been told of a mention.
---@param params { path: string, first?: integer, last?: integer } lines 0-based
function M.mentioned(params)
  local lines = params.first and { first = params.first + 1, last = params.last + 1 } or nil
  M.emit('MentionSent', { path = params.path, lines = lines })
end

--- Mentions that wait for an agent, each time they change. Kept here, they outlive the node process.
---@param params { mentions: claude_bridge.Mention[] }
function M.keep_mentions(params)
  mentions = params.mentions
end

---@return claude_bridge.Mention[] in the order in which they were made
function M.mentions()
  return mentions
end

--- Status lines show what is not of the node side as well.
function M.refresh()
  if info.state ~= 'stopped' then
    publish()
  end
end

---@return claude_bridge.SessionInfo
function M.info()
  return info
end

---@return { port: integer, token: string }?
function M.previous()
  return previous
end

--- Calls back when the bridge listens, or when it cannot.
---@param ready fun()
---@param failed? fun(message: string) the user has been told already
function M.on_ready(ready, failed)
  if info.state == 'ready' then
    ready()
  else
    waiting[#waiting + 1] = { ready = ready, failed = failed }
  end
end

--- Starts the bridge where it does not run, and calls back when it listens, or when it cannot.
---@param ready fun()
---@param failed? fun(message: string) the user has been told already
function M.when_ready(ready, failed)
  local is_ready = info.state == 'ready'
  M.on_ready(ready, failed)
  if not is_ready then
    require('claude_bridge.host').start()
  end
end

return M
