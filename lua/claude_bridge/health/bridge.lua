--- Health: the running server and the lock files by which agents find editors.
local M = {}

local health = vim.health

---@return string[] folders in which lock files may be
local function lock_folders()
  local config_dir = vim.env.CLAUDE_CONFIG_DIR
  local folders = {
    require('claude_bridge.config').get().server.lock_dir,
    config_dir and config_dir ~= '' and config_dir .. '/ide' or nil,
    '~/.claude/ide',
  }
  local found = {}
  for _, folder in pairs(folders) do
    local path = vim.fs.normalize(folder)
    if not vim.list_contains(found, path) then
      found[#found + 1] = path
    end
  end
  table.sort(found)
  return found
end

---@param path string
---@return integer? pid
local function pid_in(path)
  local file = io.open(path, 'r')
  if not file then
    return nil
  end
  local ok, lock = pcall(vim.json.decode, file:read('*a'))
  file:close()
  return ok and type(lock) == 'table' and tonumber(lock.pid) or nil
end

---@param pid integer
---@return boolean
local function is_alive(pid)
  local result, _, name = vim.uv.kill(pid, 0)
  return result == 0 or name == 'EPERM'
end

---@param own string[]
local function check_other_locks(own)
  local ours = {}
  for _, path in ipairs(own) do
    ours[vim.uv.fs_realpath(path) or path] = true
  end
  for _, folder in ipairs(lock_folders()) do
    for _, path in ipairs(vim.fn.glob(folder .. '/*.lock', true, true)) do
      if not ours[vim.uv.fs_realpath(path) or path] then
        local pid = pid_in(path)
        if pid and is_alive(pid) then
          health.info(('Another editor: %s (process %d)'):format(path, pid))
        else
          health.warn(
            ('Stale lock file: %s (%s)'):format(
              path,
              pid and 'process ' .. pid .. ' is gone' or 'no process id'
            ),
            {
              'A start of the bridge removes those of ended processes: :ClaudeBridgeRestart. Or delete the file.',
            }
          )
        end
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
