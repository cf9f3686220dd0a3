--- Completion in the prompt buffer: `/commands` of the agent and `@files`.
local M = {}

local MAX = 200

---@param text string the line up to the cursor
---@param row integer 1-based
---@return integer? column 0-based byte of the `/` or `@`
---@return string? sign
local function start_of(text, row)
  if row == 1 then
    local slash = text:match('^%s*()/[^%s]*$')
    if slash then
      return slash - 1, '/'
    end
  end
  local at = text:match('^()@[^%s]*$') or text:match('.*%s()@[^%s]*$')
  if at then
    return at - 1, '@'
  end
end

---@param lead string
---@return table[]
local function commands(lead)
  local session = require('claude_bridge.chat.sessions').current()
  local found = {}
  for _, command in ipairs(session and session.choices.commands or {}) do
    if vim.startswith(command.name, lead) then
      found[#found + 1] = {
        word = '/' .. command.name,
        menu = command.hint,
        info = command.description,
        kind = 'c',
      }
    end
  end
  return found
end

--- Names in one folder that begin as told; a folder ends with a slash.
---@param lead string
---@return string[]
local function in_folder(lead)
  local folder, name = lead:match('^(.*/)([^/]*)$')
  folder, name = folder or '', name or lead
  local found = {}
  for entry, kind in vim.fs.dir(folder == '' and '.' or vim.fs.normalize(folder)) do
    local hidden = vim.startswith(entry, '.') and not vim.startswith(name, '.')
    if vim.startswith(entry, name) and not hidden then
      found[#found + 1] = folder .. entry .. (kind == 'directory' and '/' or '')
    end
    if #found >= MAX then
      break
    end
  end
  table.sort(found)
  return found
end

--- Open files below the working directory with that text anywhere in their paths.
---@param lead string
---@return string[]
local function open_files(lead)
  local found = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if vim.bo[buffer].buftype == '' and vim.bo[buffer].buflisted and name ~= '' then
      local path = vim.fn.fnamemodify(name, ':.')
      if path:find(lead, 1, true) and not vim.startswith(path, '/') then
        found[#found + 1] = path
      end
    end
  end
  return found
end

---@param lead string
---@return table[]
local function files(lead)
  local seen, found = {}, {}
  for _, path in ipairs(vim.list_extend(open_files(lead), in_folder(lead))) do
    if not seen[path] then
      seen[path] = true
      found[#found + 1] = { word = '@' .. path, kind = 'f' }
    end
  end
  return found
end

--- For 'omnifunc' and 'completefunc'.
---@param find_start integer 1 or 0
---@param base string
---@return integer|table[]
function M.func(find_start, base)
  if find_start == 1 then
    local row, column = unpack(vim.api.nvim_win_get_cursor(0))
    -- -3: leave completion mode, and say nothing.
    return start_of(vim.api.nvim_get_current_line():sub(1, column), row) or -3
  end
  local lead = base:sub(2)
  return vim.startswith(base, '/') and commands(lead) or files(lead)
end

return M
