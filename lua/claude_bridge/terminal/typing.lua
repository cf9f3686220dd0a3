--- Types into a job as a person who pastes does.
local M = {}

--- Long enough for an agent to take the pasted text and the key as two events.
local SUBMIT_DELAY_MS = 60

---@param job integer
---@param text string
---@param submit boolean presses <CR> afterwards
---@return boolean
function M.type(job, text, submit)
  -- The text must not end the paste that it is part of.
  local pasted = '\27[200~' .. text:gsub('\27%[20[01]~', '') .. '\27[201~'
  local ok = pcall(vim.fn.chansend, job, pasted)
  if ok and submit then
    vim.defer_fn(function()
      pcall(vim.fn.chansend, job, '\r')
    end, SUBMIT_DELAY_MS)
  end
  return ok
end

--- nvim_get_proc() runs `ps`, which a small system does not have.
---@param pid integer
---@return integer?
local function parent_of(pid)
  local file = io.open(('/proc/%d/stat'):format(pid))
  if file then
    local stat = file:read('*a') or ''
    file:close()
    -- The name, in brackets, may hold brackets and blanks itself.
    return tonumber(stat:match('^.*%) %S (%d+)'))
  end
  local found, process = pcall(vim.api.nvim_get_proc, pid)
  return found and type(process) == 'table' and process.ppid or nil
end

--- Whether a process is the job's own or a descendant of it.
---@param job integer
---@param pid integer
---@return boolean
local function runs_in(job, pid)
  local known, root = pcall(vim.fn.jobpid, job)
  -- A chain of parents is short; a process that ended meanwhile has none.
  for _ = 1, known and 32 or 0 do
    if pid == root then
      return true
    end
    local parent = parent_of(pid)
    if not parent or parent <= 1 then
      return false
    end
    pid = parent
  end
  return false
end

--- The one of some terminals in which a process runs.
---@param terminals table<any, { job?: integer, spec: claude_bridge.TerminalSpec }>
---@param pid integer
---@return claude_bridge.TerminalSpec?
function M.find(terminals, pid)
  for _, terminal in pairs(terminals) do
    if terminal.job and runs_in(terminal.job, pid) then
      return terminal.spec
    end
  end
end

return M
