--- Removed lines as they look between the lines of a buffer.
local M = {}

--- Rows that are shown of one change; the original has them all.
M.MAX_ROWS = 1000
--- Bytes of a line that are looked at.
M.MAX_BYTES = 10000

--- How wide a window's text is, and whether it wraps.
---@class claude_bridge.TextWidth
---@field width integer screen cells
---@field wraps boolean

---@param window integer
---@return claude_bridge.TextWidth
function M.width_of(window)
  local info = vim.fn.getwininfo(window)[1]
  return { width = math.max(1, info.width - info.textoff), wraps = vim.wo[window].wrap }
end

---@param line string
---@return boolean every byte is a character of one cell
local function is_plain(line)
  return not line:find('[^ -~]')
end

--- The start of a line that is too long, in whole characters.
---@param line string
---@return string
local function shortened(line)
  if #line <= M.MAX_BYTES then
    return line
  end
  return line:sub(1, M.MAX_BYTES + vim.str_utf_start(line, M.MAX_BYTES + 1)) .. '…'
end

--- A line as it looks in a buffer: tabs at their stops, control characters visible.
---@param line string
---@param tabstop integer
---@return string
local function as_shown(line, tabstop)
  if is_plain(line) then
    return line
  end
  local parts, cells = {}, 0
  -- With a NUL in it the text would be none for a function of Vim.
  for part, tab in line:gsub('%z', '^@'):gmatch('([^\t]*)(\t?)') do
    local text = vim.fn.strtrans(part)
    cells = cells + vim.api.nvim_strwidth(text)
    table.insert(parts, text)
    if tab ~= '' then
      local blanks = tabstop - cells % tabstop
      cells = cells + blanks
      table.insert(parts, (' '):rep(blanks))
    end
  end
  return table.concat(parts)
end

---@param text string of one cell each
---@param width integer
---@return string[]
local function plain_rows(text, width)
  local rows = {}
  for from = 1, math.max(1, #text), width do
    table.insert(rows, text:sub(from, from + width - 1))
  end
  return rows
end

--- Cuts text into rows of a width.
---@param text string
---@param width integer screen cells
---@return string[]
local function rows_of(text, width)
  if is_plain(text) then
    return plain_rows(text, width)
  end
  local rows, row, cells = {}, {}, 0
  for _, char in ipairs(vim.fn.split(text, '\\zs')) do
    local size = vim.api.nvim_strwidth(char)
    if cells + size > width and cells > 0 then
      table.insert(rows, table.concat(row))
      row, cells = {}, 0
    end
    table.insert(row, char)
    cells = cells + size
  end
  table.insert(rows, table.concat(row))
  return rows
end

--- The virtual lines that show what a change removes.
---@param lines string[] of the original
---@param range { start: integer, count: integer }
---@param tabstop integer
---@param size claude_bridge.TextWidth
---@param group string
---@return [string, string][][]
function M.virtual_lines(lines, range, tabstop, size, group)
  local virtual = {}
  local function add(row)
    -- The colour goes on to the window's edge, as that of a line of the buffer does.
    local blanks = math.max(0, size.width - vim.api.nvim_strwidth(row))
    table.insert(virtual, { { row .. (' '):rep(blanks), group } })
  end
  local last = range.start + range.count - 1
  for index = range.start, last do
    if #virtual >= M.MAX_ROWS then
      add(('… %d more lines are removed here'):format(last - index + 1))
      break
    end
    local text = as_shown(shortened(lines[index]), tabstop)
    vim.iter(size.wraps and rows_of(text, size.width) or { text }):each(add)
  end
  return virtual
end

return M
