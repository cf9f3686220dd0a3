--- `:ClaudeMention`: names a file, some of its lines or a folder to the agents.
local M = {}

---@param message string
local function complain(message)
  require('claude_bridge.ui').notify({ level = 'warn', message = message })
end

---@param path string absolute
---@param lines? { first: integer, last: integer } 0-based
local function send(path, lines)
  local event = { kind = 'mention', path = path }
  if lines then
    event.first, event.last = lines.first, lines.last
  end
  if not require('claude_bridge.channel').notify(event) then
    complain('not running; :ClaudeBridgeStart starts it')
    return
  end
  vim.schedule(function()
    require('claude_bridge.terminal').after_mention()
  end)
end

--- Whether there is such a file or folder on this machine. A folder is told with a slash.
---@param path string
---@return boolean
---@return boolean? is_folder
local function is_there(path)
  if not require('claude_bridge.paths').is_local(path) then
    return false
  end
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil, stat ~= nil and stat.type == 'directory'
end

---@param path string
---@return string
local function with_slash(path)
  return path:gsub('/*$', '') .. '/'
end

--- The file that `%`, `#` or `<cfile>` stands for, where the whole argument is that.
---@param argument string
---@return string?
local function by_name(argument)
  if argument == '%' then
    return vim.api.nvim_buf_get_name(0)
  elseif argument == '#' then
    local buf = vim.fn.bufnr('#')
    return buf > 0 and vim.api.nvim_buf_get_name(buf) or ''
  elseif argument == '<cfile>' then
    return vim.fn.expand('<cfile>')
  end
end

--- The file or folder that an argument names: literally, or with the backslashes that command
--- line completion puts before special characters.
---@param argument string
---@return string? path absolute
---@return boolean? is_folder
local function resolve(argument)
  local absolute = require('claude_bridge.paths').absolute
  local unescaped = argument:gsub('\\(.)', '%1')
  for _, name in ipairs({ argument, by_name(argument) or '', unescaped }) do
    local path = name ~= '' and absolute(name)
    local stat = path and vim.uv.fs_stat(path)
    if stat then
      return path, stat.type == 'directory'
    end
  end
end

--- Lines behind a path, as agents write them: `a.txt#L3` or `a.txt#L3-7`.
---@param argument string
---@return string? path
---@return { first: integer, last: integer }? lines 0-based
local function split_lines(argument)
  local path, one, two = argument:match('^(.+)#L(%d+)%-?L?(%d*)$')
  if not path then
    return nil
  end
  local first = math.max(1, tonumber(one) or 1)
  local last = math.max(1, tonumber(two) or first)
  return path, { first = math.min(first, last) - 1, last = math.max(first, last) - 1 }
end

---@param argument string
---@param lines? { first: integer, last: integer }
local function mention_path(argument, lines)
  local path, is_folder = resolve(argument)
  if not path then
    local name, named_lines = split_lines(argument)
    if name then
      path, is_folder = resolve(name)
      lines = named_lines
    end
  end
  if not path then
    complain('no such file or folder: ' .. argument)
  elseif is_folder then
    send(with_slash(path))
  else
    send(path, lines)
  end
end

--- What a list shows may be on another machine, gone, or no file at all.
---@param entries claude_bridge.Entry[]
local function mention_entries(entries)
  local sent = false
  for _, entry in ipairs(entries) do
    local exists, is_folder = is_there(entry.path)
    if exists then
      sent = true
      send(is_folder and with_slash(entry.path) or entry.path, entry.first and entry)
    end
  end
  if not sent then
    complain('no file or folder of this machine here')
  end
end

--- The lines of a range, or of visual mode, in order and inside the buffer.
---@param opts { range: integer, line1: integer, line2: integer }
---@return { first: integer, last: integer }? lines 0-based
local function lines_of(opts)
  local one, two = opts.line1, opts.line2
  if opts.range == 0 then
    if not require('claude_bridge.selection').is_visual(vim.api.nvim_get_mode().mode) then
      return nil
    end
    one, two = vim.fn.line('v'), vim.fn.line('.')
  end
  local count = vim.api.nvim_buf_line_count(0)
  local function clamp(line)
    return math.min(math.max(line, 1), count) - 1
  end
  return { first = clamp(math.min(one, two)), last = clamp(math.max(one, two)) }
end

---@param lines? { first: integer, last: integer }
local function mention_buffer(lines)
  local explorers = require('claude_bridge.explorers')
  if explorers.is_here() then
    mention_entries(explorers.entries(lines))
    return
  end
  local name = vim.api.nvim_buf_get_name(0)
  if not require('claude_bridge.paths').is_real_file(vim.api.nvim_get_current_buf()) then
    complain('this buffer is no file; give a path: :ClaudeMention <path>')
  elseif not vim.uv.fs_stat(name) then
    complain('not on disk yet, write it first: ' .. name)
  else
    send(name, lines)
  end
end

--- Completes file names as they are: Vim's own completion would expand and escape them.
---@param lead string the word before the cursor
---@param line string the command line
---@param column integer of the cursor, 0-based byte
---@return string[]
function M.complete(lead, line, column)
  -- A name may hold blanks, of which Vim's idea of the word knows nothing.
  local typed = line:sub(1, column):match('%u%a*!?%s+(.*)$') or lead
  local folder, start = typed:match('^(.*/)([^/]*)$')
  folder, start = folder or '', start or typed
  local names = {}
  for name, kind in vim.fs.dir(require('claude_bridge.paths').absolute(folder)) do
    if vim.startswith(name, start) and (start ~= '' or name:sub(1, 1) ~= '.') then
      local full = folder .. name .. (kind == 'directory' and '/' or '')
      table.insert(names, full:sub(#typed - #lead + 1))
    end
  end
  table.sort(names)
  return names
end

--- Runs the command.
---@param opts { range: integer, line1: integer, line2: integer, args: string } as a user command gets them; `args` raw
function M.send(opts)
  local lines = lines_of(opts)
  local argument = opts.args or ''
  if argument == '' then
    mention_buffer(lines)
  else
    mention_path(argument, opts.range > 0 and lines or nil)
  end
end

--- Mentions the lines of the diagnostics at the cursor.
function M.send_diagnostic()
  local lines = require('claude_bridge.diagnostics').lines_at_cursor()
  if lines then
    mention_buffer(lines)
  else
    complain('no diagnostic on this line')
  end
end

--- Mentions files or folders by their paths, for pickers and maps of the user's own.
---@param paths string|string[]
---@param lines? { first: integer, last: integer } 1-based, inclusive
function M.send_paths(paths, lines)
  local range = lines and { first = lines.first - 1, last = lines.last - 1 }
  for _, path in ipairs(type(paths) == 'table' and paths or { paths }) do
    mention_path(path, range)
  end
end

return M
