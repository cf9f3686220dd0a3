--- In which form the line ends of both sides are shown, so that Neovim's diff marks the lines that
--- change and no others.
local M = {}

---@alias claude_bridge.LineEnds 'unix'|'dos'|'mac'|'mixed'|'none'

---@type table<'unix'|'dos'|'mac', string>
local LINE_END = { unix = '\n', dos = '\r\n', mac = '\r' }

---@class claude_bridge.LineEndForm
---@field format 'unix'|'dos'|'mac' of the proposal's buffer
---@field shows_original boolean the original's CRs are shown too

--- The CRs of line ends are hidden where both sides have the same, and shown where they differ from
--- line to line. A proposal with LF alone is compared with the text of a file with CR LF: agents
--- that keep a file's line ends send such ones.
---@param ends claude_bridge.LineEnds of the proposal
---@param original? 'unix'|'dos'|'mac' nil where the original has no line
---@return claude_bridge.LineEndForm
function M.form(ends, original)
  if ends == 'none' then
    return { format = original or 'unix', shows_original = false }
  elseif ends == original or (ends == 'dos' and not original) then
    return {
      format = ends --[[@as 'unix'|'dos'|'mac']],
      shows_original = false,
    }
  end
  local is_plain = original == nil or original == 'unix' or (original == 'dos' and ends == 'unix')
  return { format = 'unix', shows_original = not is_plain }
end

---@param lines string[]
---@param is_bare boolean the last line has no line end
---@return string[]
function M.with_cr(lines, is_bare)
  local found = {}
  for index, line in ipairs(lines) do
    found[index] = is_bare and index == #lines and line or line .. '\r'
  end
  return found
end

---@param lines string[] one, if any
---@return string[]
---@return boolean eol
function M.split_at_cr(lines)
  local found = vim.split(lines[1] or '', '\r', { plain = true })
  local eol = found[#found] == ''
  if eol then
    table.remove(found)
  end
  return found, eol
end

--- The bytes of a text, but for its byte order mark.
---@param text claude_bridge.ViewText
---@return string
function M.joined(text)
  local line_end = LINE_END[text.format]
  local joined = table.concat(text.lines, text.format == 'mac' and '\n' or line_end)
  local tail = text.eol and #text.lines > 0 and line_end or ''
  -- Where CR ends a line an LF is text, and Neovim holds it as a CR.
  return (
    text.format == 'mac' and joined:gsub('[\r\n]', { ['\r'] = '\n', ['\n'] = '\r' }) or joined
  ) .. tail
end

--- A text as a buffer with the format `unix` holds it.
---@param text claude_bridge.ViewText
---@return claude_bridge.ViewText
function M.shown(text)
  local lines, eol = text.lines, text.eol
  if text.format == 'dos' then
    lines = M.with_cr(lines, not eol)
  elseif text.format == 'mac' and #lines > 0 then
    lines = vim.split(M.joined(text), '\n', { plain = true })
    eol = lines[#lines] == ''
    if eol then
      table.remove(lines)
    end
  end
  return { lines = lines, eol = eol, bom = text.bom, format = 'unix' }
end

return M
