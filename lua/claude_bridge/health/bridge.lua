--- Health: the running server and the lock files by which agents find editors.
local M = {}

local health = vim.health

---@param variable string
---@return string? folder that the variable names
local function named_by(variable)
  local folder = vim.env[variable]
  return folder and folder ~= '' and folder .. '/ide' or nil
end

---@return string[] folders in which lock files may be
local function lock_folders()
  local folders = {
    require('claude_bridge.config').get().server.lock_dir or '',
    named_by('CLAUDE_CONFIG_DIR') or '',
    '~/.claude/ide',
    named_by('SID_CONFIG_DIR') or '~/.sid-code/ide',
  }
  local found = {}
  for _, folder in ipairs(folders) do
    local path = vim.fs.normalize(folder)
    if path ~= '' and not vim.list_contains(found, path) then
      found[#found + 1] = path
    end
  end
  table.sort(found)
  return found
end

---@class claude_bridge.Lock
---@field pid? integer
---@field name string
---@field folders string[]

--- What a lock file tells, whoever wrote it.
---@param path string
---@return claude_bridge.Lock
local function read_lock(path)
  local file = io.open(path, 'r')
  local ok, lock = pcall(vim.json.decode, file and file:read('*a') or '')
  if file then
    file:close()
  end
  lock = ok and type(lock) == 'table' and lock or {}
  local folders = type(lock.workspaceFolders) == 'table' and lock.workspaceFolders or {}
  return {
    pid = tonumber(lock.pid),
    name = type(lock.ideName) == 'string' and lock.ideName or 'an editor',
    folders = vim.tbl_filter(function(folder)
      return type(folder) == 'string'
    end, folders),
  }
end

---@param pid integer
---@return boolean
local function is_alive(pid)
  local result, _, name = vim.uv.kill(pid, 0)
  return result == 0 or name == 'EPERM'
end

---@param one string
---@param other string
---@return boolean whether one of them is the other, or lies in it
local function meet(one, other)
  local function is_inside(path, folder)
    return vim.startswith(path .. '/', (folder:gsub('/$', '')) .. '/')
  end
  return is_inside(one, other) or is_inside(other, one)
end

---@param lock claude_bridge.Lock
---@param own string[] folders of this editor; none where its bridge does not run
---@return boolean
local function is_rival(lock, own)
  return vim.iter(lock.folders):any(function(theirs)
    return vim.iter(own):any(function(ours)
      return meet(ours, theirs)
    end)
  end)
end

---@param path string
---@param own_folders string[]
local function check_other_lock(path, own_folders)
  local lock = read_lock(path)
  if not lock.pid or not is_alive(lock.pid) then
    local why = lock.pid and 'process ' .. lock.pid .. ' is gone' or 'no process id'
    health.warn(('Stale lock file: %s (%s)'):format(path, why), {
      'A start of the bridge removes those of ended processes: :ClaudeBridgeRestart. Or delete the file.',
    })
  elseif is_rival(lock, own_folders) then
    local text = 'Another editor works in the same folder: %s, process %d (%s)'
    health.warn(text:format(lock.name, lock.pid, path), {
      'An agent that is started outside of both may take neither by itself.',
      'Start it by :ClaudeBridgeTerminal, or choose in the agent (/ide). See :help claude_bridge-recipe-two',
    })
  else
    health.info(('Another editor: %s (process %d)'):format(path, lock.pid))
  end
end

---@param own string[] lock files
local function check_other_locks(own)
  local ours = {}
  for _, path in ipairs(own) do
    ours[vim.uv.fs_realpath(path) or path] = true
  end
  local own_folders = #own > 0 and require('claude_bridge.workspace').folders() or {}
  for _, folder in ipairs(lock_folders()) do
    for _, path in ipairs(vim.fn.glob(folder .. '/*.lock', true, true)) do
      if not ours[vim.uv.fs_realpath(path) or path] then
        check_other_lock(path, own_folders)
      end
    end
  end
end

---@param path string
local function check_own_lock(path)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    health.error('The lock file is gone: ' .. path, {
      'Agents started from now on do not find this editor: run :ClaudeBridgeRestart.',
    })
  elseif vim.fn.has('win32') == 0 and bit.band(stat.mode, 63) ~= 0 then
    health.warn(('Others can read the lock file %s'):format(path), { 'chmod 600 ' .. path })
  else
    health.ok('Lock file: ' .. path)
  end
end

function M.check()
  local info = require('claude_bridge.session').info()
  if info.state == 'ready' then
    health.ok(('Running on port %d'):format(info.port))
    vim.iter(info.lock_files):each(check_own_lock)
    health.info(
      ('Connected agents: %d; reviews that wait: %d'):format(#info.clients, #info.reviews)
    )
  elseif info.state == 'failed' then
    health.error('The bridge could not start: ' .. tostring(info.message), {
      'See the other sections, and :ClaudeBridgeLog.',
    })
  elseif info.state == 'starting' then
    health.info('The bridge is starting; run this check again')
  else
    health.info('Not running; :ClaudeBridgeStart starts it')
  end
  check_other_locks(info.lock_files)
  local log = require('claude_bridge.log').path()
  local there = vim.uv.fs_stat(log) and '' or ' (not written yet)'
  health.info(('Log: %s%s'):format(log, there))
end

return M
