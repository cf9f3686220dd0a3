--- What the user is told: one line, or the status window.
local M = {}

local LEVELS = {
  info = vim.log.levels.INFO,
  warn = vim.log.levels.WARN,
  error = vim.log.levels.ERROR,
}
local HIGHLIGHTS = { warn = 'WarningMsg', error = 'ErrorMsg' }
local PREFIX = 'Claude Bridge: '
--- How many of the last messages the status window shows in full.
local KEPT = 5

---@type string[]
local history = {}

--- Neovim's own `vim.notify` writes to the command line; a plugin's has room of its own.
local function is_builtin_notify()
  local source = debug.getinfo(vim.notify, 'S').source
  -- Neovim 0.12 ships its own modules as bytecode without names.
  return vim.startswith(source, '@vim/') or source == '?' or source == '=?'
end

--- A line longer than the command line asks for <Enter>, and until then no call reaches Neovim.
---@param text string
---@return string
local function shortened(text)
  local room = vim.v.echospace
  if vim.api.nvim_strwidth(text) <= room then
    return text
  end
  local hint = '… (:ClaudeBridgeStatus)'
  local cut = math.max(10, room - vim.api.nvim_strwidth(hint))
  local short = vim.fn.strcharpart(text, 0, cut)
  while vim.api.nvim_strwidth(short) > cut do
    short = vim.fn.strcharpart(short, 0, vim.fn.strchars(short) - 1)
  end
  return short .. hint
end

---@param message string
---@return string
local function one_line(message)
  return (message:gsub('%s*[\r\n]+%s*', ' '))
end

--- Shows one line.
---@param params { level: 'info'|'warn'|'error', message: string }
function M.notify(params)
  local text = one_line(params.message)
  table.insert(history, 1, ('%s  %s'):format(os.date('%H:%M:%S'), text))
  history[KEPT + 1] = nil
  if not is_builtin_notify() then
    vim.notify(text, LEVELS[params.level] or LEVELS.info, { title = 'Claude Bridge' })
    return
  end
  text = PREFIX .. text
  if #vim.api.nvim_list_uis() > 0 then
    text = shortened(text)
    -- Two lines in a row would ask for <Enter> as well.
    vim.cmd.redraw()
  end
  -- As an error message proper it would abort a caller's `:try` or `vim.cmd`, and bring the line
  -- "Error detected while processing" with it.
  vim.api.nvim_echo({ { text, HIGHLIGHTS[params.level] } }, true, {})
end

--- Shows one line that needs nobody: it goes with the next key, and is in no list of messages.
---@param text string
function M.hint(text)
  local mode = vim.api.nvim_get_mode()
  if mode.blocking or mode.mode:find('^c') or #vim.api.nvim_list_uis() == 0 then
    return
  end
  vim.cmd.redraw()
  vim.api.nvim_echo({ { shortened(PREFIX .. text) } }, false, {})
end

--- Runs a function; an error becomes one line for the user. `error({ message = ... })` is shown as
--- it is, anything else is a fault of ours and keeps its place in the source.
---@param run fun()
---@return boolean ok
function M.guard(run)
  local ok, problem = pcall(run)
  if not ok then
    local message = type(problem) == 'table' and problem.message or problem
    M.notify({ level = 'error', message = tostring(message) })
  end
  return ok
end

--- Shows lines in a window that closes by `q` or `<Esc>`.
---@param params { lines: string[] }
function M.status(params)
  local lines = vim.tbl_map(one_line, params.lines)
  if #history > 0 then
    vim.list_extend(lines, { '', 'Last messages' })
    for _, message in ipairs(history) do
      lines[#lines + 1] = '  ' .. message
    end
  end
  require('claude_bridge.float').show(lines, ' Claude Bridge ')
end

return M
