--- Asks programs for their version, all at once and within a bounded time.
local M = {}

local LIMIT_MS = 3000

---@class claude_bridge.Answer
---@field text? string first line that holds a number
---@field problem? string

---@param result vim.SystemCompleted
---@return claude_bridge.Answer
local function read(result)
  if result.code == 124 and result.signal ~= 0 then
    return { problem = ('no answer within %d s'):format(LIMIT_MS / 1000) }
  end
  for line in ((result.stdout or '') .. '\n' .. (result.stderr or '')):gmatch('[^\r\n]+') do
    if line:match('%d+%.%d+') then
      return { text = vim.trim(line) }
    end
  end
  return { problem = ('it ended with exit code %d and told no version'):format(result.code) }
end

---@param programs table<string, string> name -> path
---@return table<string, claude_bridge.Answer>
function M.versions(programs)
  local running, answers = {}, {}
  for name, path in pairs(programs) do
    local options = { text = true, timeout = LIMIT_MS, cwd = vim.uv.os_tmpdir() }
    local ok, process = pcall(vim.system, { path, '--version' }, options)
    if ok then
      running[name] = process
    else
      answers[name] = { problem = 'it could not be run: ' .. tostring(process) }
    end
  end
  for name, process in pairs(running) do
    answers[name] = read(process:wait())
  end
  return answers
end

return M
