--- Which Node.js is good enough.
local M = {}

M.LEAST_MAJOR = 20

local LIMIT_MS = 3000

---@param answer string what `node --version` prints
---@return integer? major
function M.major(answer)
  return tonumber(answer:match('^v?(%d+)%.'))
end

--- Asks an executable for its version, without waiting.
---@param path string
---@param tell fun(version?: string) nil where it told none, or is new enough
function M.when_too_old(path, tell)
  local function answered(result)
    local version = vim.trim(result.stdout or '')
    local major = M.major(version)
    tell(major and major < M.LEAST_MAJOR and version or nil)
  end
  local options = { text = true, timeout = LIMIT_MS, cwd = vim.uv.os_tmpdir() }
  if not pcall(vim.system, { path, '--version' }, options, vim.schedule_wrap(answered)) then
    tell()
  end
end

return M
