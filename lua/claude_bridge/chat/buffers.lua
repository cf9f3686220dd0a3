--- Files as the editor has them, unsaved changes included, for agents that read and write through
--- it. Which files they may reach, node decides.
local M = {}

local api = vim.api

--- Finding the changes of larger texts would hold the editor up.
local DIFF_BYTES = 1000 * 1000
local LINE_END = { unix = '\n', dos = '\r\n', mac = '\r' }

---@param path string
---@return integer? buffer
local function loaded(path)
  local wanted = vim.fs.normalize(path)
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == '' then
      local name = api.nvim_buf_get_name(buffer)
      if name ~= '' and (name == wanted or vim.uv.fs_realpath(name) == wanted) then
        return buffer
      end
    end
  end
end

--- A buffer always has a line; only its byte count tells an empty file from one empty line.
---@param buffer integer
---@return boolean
local function is_empty(buffer)
  return api.nvim_buf_call(buffer, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

---@param buffer integer
---@return string
local function text_of(buffer)
  local line_end = LINE_END[vim.bo[buffer].fileformat]
  local text = table.concat(api.nvim_buf_get_lines(buffer, 0, -1, true), line_end)
  if not vim.bo[buffer].endofline or (text == '' and is_empty(buffer)) then
    return text
  end
  return text .. line_end
end

--- The text of a file that is open.
---@param params { path: string }
---@return { text: string }?
function M.read(params)
  local buffer = loaded(params.path)
  return buffer and { text = text_of(buffer) }
end

--- Loads a file where nobody sees it, without a question about swap files.
---@param path string
---@return integer buffer
local function load(path)
  local buffer = vim.fn.bufadd(path)
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append('A')
  local ok, problem = pcall(vim.fn.bufload, buffer)
  vim.o.shortmess = shortmess
  if not ok then
    error({ code = 'failed', message = ('could not load %s: %s'):format(path, problem) })
  end
  return buffer
end

---@param text string
---@param current string 'fileformat'
---@return string[] lines
---@return boolean ended whether the last line has its end
---@return string format
local function parse(text, current)
  if current == 'mac' and not text:find('\n', 1, true) then
    local lines, ended = vim.split(text, '\r', { plain = true }), text:sub(-1) == '\r'
    lines[#lines] = not ended and lines[#lines] or nil
    return lines, ended, 'mac'
  end
  local _, breaks = text:gsub('\n', '')
  local _, carriages = text:gsub('\r\n', '')
  local is_dos = breaks > 0 and breaks == carriages
  local ended = text:sub(-1) == '\n'
  local lines = vim.split(is_dos and text:gsub('\r\n', '\n') or text, '\n', { plain = true })
  if ended then
    lines[#lines] = nil
  end
  -- One line without an end does not show its format.
  return lines, ended, breaks == 0 and current or is_dos and 'dos' or 'unix'
end

--- Written in an encoding that lacks some of its characters, the text would come out as another.
---@param buffer integer
---@param path string
---@param text string
local function check_encoding(buffer, path, text)
  local encoding = vim.bo[buffer].fileencoding
  if encoding == '' or encoding == 'utf-8' then
    return
  end
  local encoded = vim.iconv(text, 'utf-8', encoding)
  if not encoded or vim.iconv(encoded, encoding, 'utf-8') ~= text then
    local why = '%s is in the encoding %s, which lacks some of the characters'
    error({ code = 'refused', message = why:format(path, encoding) })
  end
end

--- Changes only the lines that differ, from the last to the first, so that numbers stay right.
---@param buffer integer
---@param lines string[]
local function replace(buffer, lines)
  local old = api.nvim_buf_get_lines(buffer, 0, -1, true)
  local before, after = table.concat(old, '\n') .. '\n', table.concat(lines, '\n') .. '\n'
  if #before + #after > DIFF_BYTES then
    require('claude_bridge.chat.lines').set(buffer, 0, #old, lines)
    return
  end
  local compare = vim.text and vim.text.diff or vim.diff
  local hunks = compare(before, after, { result_type = 'indices' }) --[[@as integer[][] ]]
  for index = #hunks, 1, -1 do
    local from, count, new_from, new_count = unpack(hunks[index])
    -- Where nothing is taken away, the hunk names the line before.
    local row = count == 0 and from or from - 1
    local new = vim.list_slice(lines, new_from, new_from + new_count - 1)
    api.nvim_buf_set_lines(buffer, row, row + count, true, new)
  end
end

---@param buffer integer
---@param path string
local function save(buffer, path)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local ok, problem = pcall(api.nvim_buf_call, buffer, function()
    -- With the bang: a file that has changed on disk would bring up a question.
    vim.cmd('silent keepalt write!')
  end)
  if not ok then
    local reason = tostring(problem):match('E%d+:[^\n]*') or tostring(problem)
    error({ code = 'failed', message = ('could not save %s: %s'):format(path, reason) })
  end
end

--- Makes the text of a file another one, in one undo step, and saves it.
---@param params { path: string, text: string }
function M.write(params)
  local buffer = loaded(params.path) or load(params.path)
  local bo = vim.bo[buffer]
  if bo.readonly or not bo.modifiable then
    error({ code = 'refused', message = ('%s cannot be changed in Neovim'):format(params.path) })
  end
  local text, marks = params.text:gsub('^\239\187\191', '')
  check_encoding(buffer, params.path, text)
  local lines, ended, format = parse(text, bo.fileformat)
  -- Ends the undo step that is open, so that this is one of its own.
  bo.undolevels = bo.undolevels
  if #lines > 0 and is_empty(buffer) then
    -- Compared with no line at all, one empty line would be no change.
    api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  else
    replace(buffer, #lines > 0 and lines or { '' })
  end
  bo.fileformat = format
  bo.bomb = bo.bomb or marks > 0
  local fix = bo.fixendofline
  bo.endofline, bo.fixendofline = ended, false
  local ok, problem = pcall(save, buffer, params.path)
  if api.nvim_buf_is_valid(buffer) then
    bo.fixendofline = fix
    bo.undolevels = bo.undolevels
  end
  if not ok then
    error(problem, 0)
  end
end

return M
