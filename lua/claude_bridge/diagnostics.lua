--- Reads diagnostics of all sources, with positions that exist in the text.
local M = {}

--- Larger files that no buffer holds are not read for the columns' sake.
local MAX_FILE_BYTES = 1024 * 1024

--- The lines of a buffer; of one that is not loaded, those of its file.
---@param buf integer
---@return fun(line: integer): string text_at 0-based
---@return integer count
local function lines_of(buf)
  if vim.api.nvim_buf_is_loaded(buf) then
    return function(line)
      return vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ''
    end,
      vim.api.nvim_buf_line_count(buf)
  end
  local name = vim.api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(name)
  local small = stat and stat.type == 'file' and stat.size <= MAX_FILE_BYTES
  local ok, lines = pcall(vim.fn.readfile, small and name or '')
  lines = ok and lines or {}
  return function(line)
    return (lines[line + 1] or ''):gsub('\r$', '')
  end, #lines
end

--- A position moved into the text, for the node side.
---@param text_at fun(line: integer): string
---@param count integer of lines; 0 where the text is not known
---@param line integer 0-based
---@param column integer 0-based byte
---@return { line: integer, column: integer, prefix?: string }
local function position(text_at, count, line, column)
  line, column = math.max(line, 0), math.max(column, 0)
  if count == 0 then
    return { line = line, column = column }
  end
  local text = text_at(math.min(line, count - 1))
  if line > count - 1 then
    line, column = count - 1, #text
  end
  column = math.min(column, #text)
  local before = text:sub(1, column)
  return { line = line, column = column, prefix = before:find('[\128-\255]') and before or nil }
end

---@param code any a string, a number, or a table with a value
---@return string?
local function code_text(code)
  if type(code) == 'table' then
    code = code.value
  end
  if type(code) == 'number' then
    return code % 1 == 0 and ('%d'):format(code) or tostring(code)
  end
  return type(code) == 'string' and code ~= '' and code or nil
end

---@param diagnostic vim.Diagnostic
---@param text_at fun(line: integer): string
---@param count integer
---@return table
local function convert(diagnostic, text_at, count)
  local line, column = diagnostic.lnum or 0, diagnostic.col or 0
  local last, stop = diagnostic.end_lnum or line, diagnostic.end_col or column
  if last < line or (last == line and stop < column) then
    last, stop = line, column
  end
  local source = diagnostic.source
  return {
    message = tostring(diagnostic.message or ''),
    severity = diagnostic.severity or vim.diagnostic.severity.ERROR,
    start = position(text_at, count, line, column),
    finish = position(text_at, count, last, stop),
    source = type(source) == 'string' and source ~= '' and source or nil,
    code = code_text(diagnostic.code),
  }
end

---@param buf integer
---@param diagnostics vim.Diagnostic[]
---@return table
local function file_entry(buf, diagnostics)
  local text_at, count = lines_of(buf)
  return {
    path = vim.api.nvim_buf_get_name(buf),
    diagnostics = vim.tbl_map(function(diagnostic)
      return convert(diagnostic, text_at, count)
    end, diagnostics),
  }
end

--- The diagnostics of one file, which may have none, or of all files that have some.
---@param p { path?: string }
---@return table[]
function M.read(p)
  local paths = require('claude_bridge.paths')
  if p.path then
    local buf = paths.buffer_of(p.path)
    if not buf then
      return { { path = p.path, diagnostics = {} } }
    end
    return { file_entry(buf, vim.diagnostic.get(buf)) }
  end
  local by_buffer = {}
  for _, diagnostic in ipairs(vim.diagnostic.get()) do
    local buf = diagnostic.bufnr
    by_buffer[buf] = by_buffer[buf] or {}
    table.insert(by_buffer[buf], diagnostic)
  end
  local entries = {}
  for buf, diagnostics in pairs(by_buffer) do
    if paths.is_real_file(buf) then
      table.insert(entries, file_entry(buf, diagnostics))
    end
  end
  table.sort(entries, function(a, b)
    return a.path < b.path
  end)
  return entries
end

--- The last line of a diagnostic; one that ends before the first column of a line ends above it.
---@param diagnostic vim.Diagnostic
---@return integer 0-based
local function last_line(diagnostic)
  local last = diagnostic.end_lnum or diagnostic.lnum
  if diagnostic.end_col == 0 and last > diagnostic.lnum then
    last = last - 1
  end
  return math.min(last, vim.api.nvim_buf_line_count(0) - 1)
end

--- The lines of the diagnostics at the cursor; where none is right there, of those on its line.
---@return { first: integer, last: integer }? lines 0-based, inclusive
function M.lines_at_cursor()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local row, column = cursor[1] - 1, cursor[2]
  local on_line = vim.tbl_filter(function(one)
    return one.lnum <= row and row <= last_line(one)
  end, vim.diagnostic.get(0))
  local at_cursor = vim.tbl_filter(function(one)
    local begun = one.lnum < row or one.col <= column
    local ends_here = (one.end_lnum or one.lnum) == row
    return begun and not (ends_here and column >= math.max(one.end_col or 0, one.col + 1))
  end, on_line)
  local lines
  for _, one in ipairs(#at_cursor > 0 and at_cursor or on_line) do
    lines = lines or { first = one.lnum, last = last_line(one) }
    lines.first = math.min(lines.first, one.lnum)
    lines.last = math.max(lines.last, last_line(one))
  end
  return lines
end

return M
