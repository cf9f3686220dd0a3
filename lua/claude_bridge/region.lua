--- A piece of a buffer: what a selection covers, and its text.
local M = {}

---@class claude_bridge.Region
---@field buf integer
---@field mode 'v'|'V'|'\22' '\22' is a block; a cursor is an empty 'v'
---@field start { line: integer, column: integer } 0-based, bytes
---@field finish { line: integer, column: integer } 0-based, bytes, exclusive; of a block: its corner
---@field block? claude_bridge.Block
---@field lines? string[] the text, where it was read at once

---@class claude_bridge.Block
---@field first integer[] a corner, as of getpos()
---@field last integer[]
---@field left integer 1-based screen column
---@field to_end boolean whether it goes to the end of each line

--- Longer than any character with what combines with it.
local CHARACTER_BYTES = 256

---@param buf integer
---@param line integer 0-based
---@return integer bytes
local function length_of(buf, line)
  return #(vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or '')
end

--- Where the character that begins at a column ends, with all that combines with it.
---@param buf integer
---@param line integer 0-based
---@param column integer 0-based byte
---@param length integer of the line, bytes
---@return integer column 0-based byte, exclusive
local function character_end(buf, line, column, length)
  if column >= length then
    return length
  end
  local stop = math.min(length, column + CHARACTER_BYTES)
  local slice = vim.api.nvim_buf_get_text(buf, line, column, line, stop, {})[1]
  -- With a NUL in it a string is a Blob to Vim's functions.
  slice = slice:gsub('%z', '\n')
  return column + math.max(1, #vim.fn.strpart(slice, 0, 1, true))
end

---@param a integer[] of getpos(): buffer, line, column, offset
---@param b integer[]
---@return integer[] first, integer[] last
local function ordered(a, b)
  for i = 2, 4 do
    if a[i] ~= b[i] then
      if a[i] > b[i] then
        return b, a
      end
      return a, b
    end
  end
  return a, b
end

---@param first integer[]
---@param last integer[]
---@return boolean whether 'selection' leaves the last character out
local function is_exclusive(first, last)
  local same = first[2] == last[2] and first[3] == last[3] and first[4] == last[4]
  return vim.o.selection == 'exclusive' and not same
end

---@param buf integer
---@param first integer[]
---@param last integer[]
---@return claude_bridge.Region
local function characters(buf, first, last)
  local from, to = first[2] - 1, last[2] - 1
  local length = length_of(buf, to)
  local column = math.min(last[3] - 1, length)
  if not is_exclusive(first, last) or last[4] > 0 then
    column = character_end(buf, to, column, length)
  end
  local start = math.min(first[3] - 1, from == to and length or length_of(buf, from))
  return {
    buf = buf,
    mode = 'v',
    start = { line = from, column = start },
    finish = { line = to, column = math.max(column, from == to and start or 0) },
  }
end

---@param lnum integer 1-based
---@param screen_column integer 1-based
---@return integer column 0-based byte of the character that covers it
---@return integer length of the line, bytes
local function byte_at(lnum, screen_column)
  local length = vim.fn.col({ lnum, '$' }) - 1
  if screen_column >= vim.fn.virtcol({ lnum, '$' }) then
    return length, length
  end
  return vim.fn.virtcol2col(0, lnum, screen_column) - 1, length
end

--- Of the current window's buffer: a block has straight sides on the screen, not in the text.
---@param buf integer
---@param first integer[]
---@param last integer[]
---@return claude_bridge.Region
local function block(buf, first, last)
  local one = vim.fn.virtcol({ first[2], first[3], first[4] }, true)
  local two = vim.fn.virtcol({ last[2], last[3], last[4] }, true)
  local left, right = math.min(one[1], two[1]), math.max(one[2], two[2])
  -- As Vim does for its own operators: the later corner's column is the one left out.
  if vim.o.selection == 'exclusive' and one[2] < two[1] and two[1] > 1 and two[2] > one[2] then
    right = two[1] - 1
  end
  local to_end = vim.fn.winsaveview().curswant == vim.v.maxcol
  local start = byte_at(first[2], left)
  local finish, length = byte_at(last[2], right)
  finish = to_end and length or character_end(buf, last[2] - 1, finish, length)
  return {
    buf = buf,
    mode = '\22',
    start = { line = first[2] - 1, column = start },
    finish = { line = last[2] - 1, column = finish },
    block = { first = first, last = last, left = left, to_end = to_end },
  }
end

--- The region between two ends in any order, in the current window.
---@param mode string as of mode(): visual, or select, which covers the same
---@param one integer[] as of getpos()
---@param two integer[]
---@return claude_bridge.Region
function M.between(mode, one, two)
  local buf = vim.api.nvim_get_current_buf()
  local first, last = ordered(one, two)
  local kind = mode:sub(1, 1)
  if kind == '\22' or kind == '\19' then
    return block(buf, first, last)
  end
  if kind == 'V' or kind == 'S' then
    return {
      buf = buf,
      mode = 'V',
      start = { line = first[2] - 1, column = 0 },
      finish = { line = last[2] - 1, column = length_of(buf, last[2] - 1) },
    }
  end
  return characters(buf, first, last)
end

--- The empty region at the cursor of the current window.
---@return claude_bridge.Region
function M.at_cursor()
  local cursor = vim.api.nvim_win_get_cursor(0)
  local at = { line = cursor[1] - 1, column = cursor[2] }
  return { buf = vim.api.nvim_get_current_buf(), mode = 'v', start = at, finish = at }
end

--- The last place to which the text may be read so that it is at most `limit` bytes: a line's end,
--- or a character's where the first line alone is longer.
---@param region claude_bridge.Region
---@param limit integer bytes
---@return integer line, integer column
local function cut(region, limit)
  local buf, start, finish = region.buf, region.start, region.finish
  local offset = vim.api.nvim_buf_get_offset
  local stop = offset(buf, start.line) + start.column + limit
  if offset(buf, finish.line) + finish.column <= stop then
    return finish.line, finish.column
  end
  local fits, too_far = start.line, finish.line + 1
  while too_far - fits > 1 do
    local middle = math.floor((fits + too_far) / 2)
    if offset(buf, middle) <= stop then
      fits = middle
    else
      too_far = middle
    end
  end
  if fits > start.line then
    return fits - 1, length_of(buf, fits - 1)
  end
  local column = start.column + limit
  local slice = vim.api.nvim_buf_get_text(buf, fits, start.column, fits, column, {})[1]
  -- Not in the middle of a character: without the last one, where that has more than one byte.
  return fits, start.column + #slice:gsub('[\192-\255]?[\128-\191]*$', '')
end

--- Of a block to the line ends, which getregion() does not know.
---@param shape claude_bridge.Block
---@return fun(): string? next_line
local function ragged_lines(shape)
  local lnum, last = shape.first[2] - 1, shape.last[2]
  return function()
    lnum = lnum + 1
    if lnum <= last then
      return vim.fn.getline(lnum):sub(byte_at(lnum, shape.left) + 1)
    end
  end
end

---@param shape claude_bridge.Block
---@param limit? integer
---@return string[]
local function block_lines(shape, limit)
  local next_line = shape.to_end and ragged_lines(shape)
    or vim.iter(vim.fn.getregion(shape.first, shape.last, { type = '\22' }))
  local lines, bytes = {}, 0
  for line in next_line do
    bytes = bytes + #line + 1
    if limit and bytes > limit then
      break
    end
    table.insert(lines, line)
  end
  return lines
end

---@param region claude_bridge.Region
---@param limit? integer
---@return string[]
local function lines_of(region, limit)
  local start, finish = region.start, region.finish
  if region.lines then
    return region.lines
  elseif region.block then
    return block_lines(region.block, limit)
  end
  local line, column = finish.line, finish.column
  if limit then
    line, column = cut(region, limit)
  end
  return vim.api.nvim_buf_get_text(region.buf, start.line, start.column, line, column, {})
end

--- Reads a block's text now, while its window is the current one and has the block's columns.
---@param region claude_bridge.Region
---@return claude_bridge.Region region the same
function M.keep_text(region)
  if region.block then
    region.lines = block_lines(region.block)
  end
  return region
end

--- The text. Lines are joined by line feeds whatever the file's line ends are.
---@param region claude_bridge.Region
---@param limit? integer bytes, about
---@return string
function M.text(region, limit)
  local lines = lines_of(region, limit)
  for i, line in ipairs(lines) do
    -- Neovim keeps a NUL of the file as a line feed inside the line.
    if line:find('\n', 1, true) then
      lines[i] = line:gsub('\n', '\0')
    end
  end
  return table.concat(lines, '\n')
end

--- A position for the node side, which counts in UTF-16 and needs the text before it for that.
---@param buf integer
---@param line integer 0-based
---@param column integer 0-based byte, within the line
---@return { line: integer, column: integer, prefix?: string }
function M.position(buf, line, column)
  local at = { line = line, column = column }
  if column > 0 then
    local before = vim.api.nvim_buf_get_text(buf, line, 0, line, column, {})[1]
    if before:find('[\128-\255]') then
      at.prefix = before
    end
  end
  return at
end

return M
