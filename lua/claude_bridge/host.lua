--- The node process: started without waiting, watched, and started again when it dies.
---
--- It runs the remote plugin in a host of its own, so that no other node plugin can take it down
--- and no synchronous `poll` of the shared host holds the editor up.
local M = {}

---@alias claude_bridge.HostState 'stopped'|'starting'|'ready'|'stopping'|'failed'

--- Tries within the window before a host that keeps dying is left alone.
local MAX_RESTARTS = 3
local RESTART_WINDOW_MS = 60000
--- A host that was asked to stop and still runs after this is killed.
local STOP_LIMIT_MS = 2000

---@type claude_bridge.HostState
local state = 'stopped'
---@type integer?
local job
---@type integer[] times of unexpected exits, ms
local crashes = {}
---@type string[] last lines that the process wrote to stderr
local stderr_tail = {}
---@type fun()?
local after_stop
--- Kills a process that was asked to stop and does not.
---@type uv.uv_timer_t?
local stop_timer

local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))))

---@return string absolute path of the plugin's folder
function M.root()
  return vim.fn.fnamemodify(root, ':p'):gsub('/$', '')
end

---@return string absolute path of the host program that ships with the plugin
function M.prog()
  return M.root() .. '/dist/host.cjs'
end

---@return string absolute path of the remote plugin's entry
function M.entry()
  return M.root() .. '/rplugin/node/claude_bridge.cjs'
end

---@return string? node executable, from the options or from PATH
function M.node()
  local wished = require('claude_bridge.config').get().node
  local path = vim.fn.exepath(wished or 'node')
  return path ~= '' and path or nil
end

---@return claude_bridge.HostState
function M.state()
  return state
end

---@return integer? channel and job id of the process
function M.job()
  return job
end

---@param message string
local function fail(message)
  state = 'failed'
  require('claude_bridge.session').failed({ message = message })
end

--- What keeps the process from starting, in one line, or nil.
---@return string?
local function obstacle()
  local node = M.node()
  if not node then
    local wished = require('claude_bridge.config').get().node
    return ('%s is not an executable on PATH: install Node.js 20 or later, or set the option `node`'):format(
      wished or 'node'
    )
  end
  if not vim.uv.fs_stat(M.prog()) then
    return ('not built yet: run "npm run build" in %s'):format(M.root())
  end
end

--- Tries again, unless it did so too often.
---@param code integer
local function start_again(code)
  local now = vim.uv.now()
  crashes = vim.tbl_filter(function(at)
    return now - at < RESTART_WINDOW_MS
  end, crashes)
  crashes[#crashes + 1] = now
  local cause = #stderr_tail > 0 and (': ' .. stderr_tail[#stderr_tail]) or ''
  local session = require('claude_bridge.session')
  session.lost()
  if #crashes > MAX_RESTARTS then
    crashes = {}
    fail(
      ('the node process keeps ending (exit code %d%s); see :checkhealth claude_bridge and :ClaudeBridgeLog, then :ClaudeBridgeStart'):format(
        code,
        cause
      )
    )
    return
  end
  state = 'stopped'
  require('claude_bridge.ui').notify({
    level = 'warn',
    message = ('the node process ended unexpectedly (exit code %d%s); starting it again'):format(
      code,
      cause
    ),
  })
  M.start()
end

--- A process that never came to listen may be run by a Node.js that cannot read it.
---@param code integer
local function on_unexpected_exit(code)
  local node = M.node()
  if state ~= 'starting' or not node then
    start_again(code)
    return
  end
  local version = require('claude_bridge.node')
  version.when_too_old(node, function(too_old)
    -- Meanwhile the user may have stopped it.
    if job or state ~= 'starting' then
      return
    elseif too_old then
      local text = '%s is Node.js %s; %d or later is needed (option `node`)'
      fail(text:format(node, too_old, version.LEAST_MAJOR))
    else
      start_again(code)
    end
  end)
end

---@param code integer
local function on_exit(code)
  job = nil
  if stop_timer and not stop_timer:is_closing() then
    stop_timer:close()
  end
  stop_timer = nil
  require('claude_bridge.events').stop()
  require('claude_bridge.channel').detach()
  if vim.v.exiting ~= vim.NIL then
    -- Neovim has closed the channel on its way out, and waits for what is started now.
    state = 'stopped'
    return
  end
  local wanted = state == 'stopping'
  if wanted then
    state = 'stopped'
    require('claude_bridge.session').stopped()
    local next_step = after_stop
    after_stop = nil
    if next_step then
      next_step()
    end
  elseif state == 'failed' then
    require('claude_bridge.session').lost()
  else
    on_unexpected_exit(code)
  end
end

---@param lines string[]
local function on_stderr(lines)
  for _, line in ipairs(lines) do
    if line ~= '' then
      stderr_tail[#stderr_tail + 1] = line
      if #stderr_tail > 20 then
        table.remove(stderr_tail, 1)
      end
    end
  end
end

---@return integer job id, or what jobstart() answers where it fails
local function spawn()
  stderr_tail = {}
  local ok, id = pcall(vim.fn.jobstart, { M.node(), M.prog() }, {
    rpc = true,
    -- The working directory may be gone; the process never relies on it.
    cwd = M.root(),
    on_stderr = function(_, lines)
      on_stderr(lines)
    end,
    on_exit = function(id, code)
      if id == job then
        on_exit(code)
      end
    end,
  })
  return ok and id or -1
end

--- Starts the process and tells it to start the bridge. Does nothing where it runs already.
---@return boolean started false where something is in the way; the user has been told
function M.start()
  if state == 'starting' or state == 'ready' then
    return true
  end
  if state == 'stopping' then
    after_stop = M.start
    return true
  end
  local problem = obstacle()
  if problem then
    fail(problem)
    return false
  end
  job = spawn()
  if job <= 0 then
    job = nil
    fail(('could not run %s'):format(M.node()))
    return false
  end
  state = 'starting'
  local channel = require('claude_bridge.channel')
  channel.attach(job, M.entry() .. ':function:ClaudeBridgeNotify')
  local session = require('claude_bridge.session')
  channel.notify({
    kind = 'start',
    config = require('claude_bridge.config').for_node(),
    editor_pid = vim.fn.getpid(),
    folders = require('claude_bridge.workspace').folders(),
    session = session.previous(),
  })
  for _, mention in ipairs(session.mentions()) do
    channel.notify(vim.tbl_extend('error', { kind = 'mention' }, mention))
  end
  session.starting()
  -- What is open and selected goes out right behind, so that the first client finds it.
  require('claude_bridge.events').start()
  return true
end

--- Called by session.lua when node has told that the bridge listens.
function M.mark_ready()
  if state == 'starting' then
    state = 'ready'
  end
end

--- Called by session.lua when node has told that the bridge could not start.
function M.mark_failed()
  if state == 'starting' or state == 'ready' then
    state = 'failed'
    if job then
      vim.fn.jobstop(job)
    end
  end
end

--- Stops the bridge and its process, without waiting.
function M.stop()
  if not job then
    local was_starting = state == 'starting'
    state = 'stopped'
    if was_starting then
      require('claude_bridge.session').stopped()
    end
    return
  end
  if state == 'stopping' then
    after_stop = nil
    return
  end
  state = 'stopping'
  local stopping = job
  require('claude_bridge.channel').notify({ kind = 'stop' })
  stop_timer = vim.defer_fn(function()
    if job == stopping then
      vim.fn.jobstop(stopping)
    end
  end, STOP_LIMIT_MS)
end

--- Stops, then starts with the same port and token, so that clients find their way back.
function M.restart()
  if not job then
    M.start()
    return
  end
  M.stop()
  after_stop = M.start
end

return M
