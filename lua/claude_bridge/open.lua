--- Opens a file for an agent, and selects in it what the agent points at.
local M = {}

---@alias claude_bridge.Spot { line: integer, column: integer } 0-based, bytes

---@class claude_bridge.OpenTarget
---@field kind 'none'|'lines'|'text'
---@field first? integer 0-based line
---@field last? integer
---@field start_text? string
---@field end_text? string
---@field to_end_of_line? boolean

---@param code string
---@param message string
local function fail(code, message)
  error({ code = code, message = message }, 0)
end

--- Loads the file into a listed buffer. Nothing in its name has a meaning, and no question is asked.
---@param path string absolute
---@param is_hidden boolean the user will not see it now
---@return integer buf
local function load(path, is_hidden)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    fail('not-found', 'File not found: ' .. path)
  elseif stat.type ~= 'file' then
    fail('refused', ('Not a regular file but a %s: %s'):format(stat.type, path))
  elseif not vim.uv.fs_access(path, 'R') then
    fail('refused', 'File not readable: ' .. path)
  end
  local buf = vim.fn.bufadd(path)
  -- bufload() asks nothing about a swap file, but complains; as may the user's autocommands.
  local failure ---@type string?
  local function read()
    failure = select(2, pcall(vim.cmd, ('silent! call bufload(%d)'):format(buf)))
  end
  if is_hidden then
    require('claude_bridge.modeline').hold(buf, read)
  else
    read()
  end
  if not vim.api.nvim_buf_is_loaded(buf) then
    fail('failed', ('Not opened: %s: %s'):format(path, failure or vim.v.errmsg))
  end
  local swap = vim.fn.swapname(buf)
  if swap ~= '' and not swap:find('%.swp$') then
    require('claude_bridge.ui').notify({
      level = 'warn',
      message = 'another Neovim may be editing ' .. path,
    })
  end
  vim.bo[buf].buflisted = true
  return buf
end

--- Finds positions in a buffer's text by offsets into its lines joined by line feeds.
---@param buf integer
---@return string text, fun(offset: integer): claude_bridge.Spot
local function text_of(buf)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  return table.concat(lines, '\n') .. '\n',
    function(offset)
      for i, line in ipairs(lines) do
        if offset <= #line then
          return { line = i - 1, column = offset }
        end
        offset = offset - #line - 1
      end
      return { line = #lines - 1, column = #lines[#lines] }
    end
end

---@param buf integer
---@param target claude_bridge.OpenTarget
---@return claude_bridge.Spot? start, claude_bridge.Spot? finish exclusive
local function find_text(buf, target)
  local text, spot_at = text_of(buf)
  local unix = function(wanted)
    return (wanted:gsub('\r\n', '\n'))
  end
  local wanted = unix(target.start_text)
  local first, last = text:find(wanted, 1, true)
  if not first then
    return
  end
  if target.end_text then
    local _, stop = text:find(unix(target.end_text), last + 1, true)
    last = stop or last
  end
  if target.to_end_of_line and text:sub(last, last) ~= '\n' then
    last = text:find('\n', last, true) - 1
  end
  return spot_at(first - 1), spot_at(last)
end

---@param buf integer
---@param target claude_bridge.OpenTarget
---@return 'v'|'V' mode, claude_bridge.Spot? start, claude_bridge.Spot? finish exclusive
local function locate(buf, target)
  if target.kind == 'lines' then
    local bottom = vim.api.nvim_buf_line_count(buf) - 1
    local first, last = math.min(target.first, bottom), math.min(target.last, bottom)
    return 'V', { line = first, column = 0 }, { line = last, column = 0 }
  end
  return 'v', find_text(buf, target)
end

--- Selects in the current window, so that the user sees it.
---@param mode 'v'|'V'
---@param start claude_bridge.Spot
---@param finish claude_bridge.Spot exclusive
local function select(mode, start, finish)
  local line, column = finish.line, finish.column
  if mode == 'v' and column == 0 and line > start.line then
    line = line - 1
    column = #vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1]
  end
  if mode == 'v' and vim.o.selection ~= 'exclusive' then
    column = math.max(column - 1, 0)
  end
  vim.api.nvim_win_set_cursor(0, { start.line + 1, start.column })
  vim.cmd.normal({ args = { mode }, bang = true })
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
end

--- Whether the focus may move: a user who types or answers something keeps his window and mode.
---@return boolean
local function may_take_focus()
  if require('claude_bridge.busy').is_mid_command() then
    return false
  end
  local mode = vim.api.nvim_get_mode().mode
  return mode == 'n' or mode:sub(1, 2) == 'nt' or mode == 't' or mode:find('^[vV\22]$') ~= nil
end

--- Moves the cursor of a window without focus, and sets the marks of what would be selected.
---@param win integer
---@param buf integer
---@param start claude_bridge.Spot
---@param finish claude_bridge.Spot
local function mark(win, buf, start, finish)
  vim.api.nvim_buf_set_mark(buf, '<', start.line + 1, start.column, {})
  vim.api.nvim_buf_set_mark(buf, '>', finish.line + 1, math.max(finish.column - 1, 0), {})
  vim.api.nvim_win_set_cursor(win, { start.line + 1, start.column })
end

--- Points at the target in the current window.
---@param buf integer
---@param target claude_bridge.OpenTarget
local function point_at(buf, target)
  local mode, start, finish = locate(buf, target)
  if start and finish then
    select(mode, start, finish)
    vim.cmd.normal({ args = { 'zv' }, bang = true })
  else
    vim.api.nvim_win_set_cursor(0, { 1, 0 })
  end
end

--- Runs `work` when terminal mode is left, if the window is the current one then. It ends by itself
--- once another window is current, but not before the loop goes round.
---@param win integer
---@param work fun()
local function after_terminal_mode(win, work)
  local function run()
    if vim.api.nvim_get_current_win() == win then
      work()
    end
  end
  require('claude_bridge.autocmd').create('ModeChanged', {
    pattern = 't:*',
    once = true,
    callback = vim.schedule_wrap(run),
  })
end

---@param buf integer
---@param target claude_bridge.OpenTarget
local function show_with_focus(buf, target)
  local mode = vim.api.nvim_get_mode().mode
  if mode:find('^[vV\22]') then
    vim.cmd.normal({ args = { '\27' }, bang = true })
  end
  local win = require('claude_bridge.windows').show(buf)
  vim.api.nvim_set_current_win(win)
  if target.kind == 'none' then
    return
  elseif mode == 't' then
    after_terminal_mode(win, function()
      point_at(buf, target)
    end)
  else
    point_at(buf, target)
  end
end

---@param buf integer
---@param target claude_bridge.OpenTarget
local function show_aside(buf, target)
  local win = require('claude_bridge.windows').show(buf, true)
  if target.kind == 'none' then
    return
  end
  local _, start, finish = locate(buf, target)
  if start and finish then
    mark(win, buf, start, finish)
  else
    vim.api.nvim_win_set_cursor(win, { 1, 0 })
  end
end

--- Opens a file. In the background nothing moves: it is only loaded and listed.
---@param p { path: string, target: claude_bridge.OpenTarget, make_frontmost: boolean }
---@return table document
function M.open(p)
  local buf = require('claude_bridge.paths').buffer_of(p.path)
  if not buf or not vim.api.nvim_buf_is_loaded(buf) then
    buf = load(p.path, not p.make_frontmost)
  end
  if p.make_frontmost then
    local show = may_take_focus() and show_with_focus or show_aside
    show(buf, p.target)
  end
  return require('claude_bridge.documents').describe(buf)
end

return M
