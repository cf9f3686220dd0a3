--- Steps that no autocommand hears of, and that none can break.
local M = {}

---@param events string
local function ignore(events)
  -- Someone may listen to changes of this very option; their error can be caught in a command only.
  pcall(vim.cmd, { cmd = 'set', args = { 'eventignore=' .. events } })
end

--- Runs a step without autocommands.
---@generic T
---@param step fun(): T?
---@return T?
function M.run(step)
  local before = vim.o.eventignore
  ignore('all')
  local done, result = pcall(step)
  ignore(before)
  if not done then
    error(result, 0)
  end
  return result
end

--- Runs a step with another value of an option.
---@param name string
---@param value string
---@param step fun()
function M.with_option(name, value, step)
  local before = vim.o[name]
  local function set(to)
    M.run(function()
      vim.o[name] = to
    end)
  end
  set(value)
  local done, problem = pcall(step)
  set(before)
  if not done then
    error(problem, 0)
  end
end

--- Runs a step in which windows get other sizes and keep their cursors, whatever 'splitkeep'.
---@param step fun()
function M.keep_cursors(step)
  M.with_option('splitkeep', 'cursor', step)
end

--- Tells plugins of an event. Their errors are theirs.
---@param event string
function M.tell(event)
  -- By way of `vim.fn` an error in an autocommand can be caught.
  pcall(vim.fn.call, function()
    vim.api.nvim_exec_autocmds(event, { buffer = 0, modeline = false })
  end, {})
end

--- Runs a step that plugins should hear of. If that keeps it from being done, it is done quietly.
---@param step fun()
---@param is_done fun(): boolean
function M.insist(step, is_done)
  pcall(step)
  if not is_done() then
    pcall(M.run, step)
  end
end

return M
