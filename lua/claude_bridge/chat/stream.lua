--- A text that grows in a buffer. Of a long one the head and the tail are shown; the whole is kept
--- aside, so that no output can slow the editor down and none is lost.
---@class claude_bridge.ChatStream
---@field height integer lines in the buffer
---@field bytes integer of the whole text
---@field private chunks string[]? nil: no longer kept
---@field private indent string
---@field private markdown boolean
---@field private room integer lines of the head
---@field private cut boolean
---@field private partial string the last line, not ended yet, as it came
---@field private shown string that line as it stands in the buffer
---@field private fence? string of markdown: what ends the code before the last line
local Stream = {}
Stream.__index = Stream

local lines = require('claude_bridge.chat.lines')
local split = require('claude_bridge.chat.split')

local HEAD_LINES = 400
local TAIL_LINES = 200

---@param options { indent?: string, markdown?: boolean, room?: integer }
---@return claude_bridge.ChatStream
function Stream.new(options)
  return setmetatable({
    height = 0,
    bytes = 0,
    chunks = {},
    indent = options.indent or '',
    markdown = options.markdown or false,
    room = options.room or HEAD_LINES,
    cut = false,
    partial = '',
    shown = '',
  }, Stream)
end

--- The whole text, or nil where it is no longer kept.
---@return string?
function Stream:text()
  if self.chunks and #self.chunks > 1 then
    self.chunks = { table.concat(self.chunks) }
  end
  return self.chunks and (self.chunks[1] or '')
end

--- Gives up the whole text; what is shown stays.
function Stream:forget()
  self.chunks = nil
end

---@return integer bytes of the whole text that are kept
function Stream:kept()
  return self.chunks and self.bytes or 0
end

---@param buffer integer
---@param row integer 0-based, of the first painted line
---@param shown string[]
function Stream:paint(buffer, row, shown)
  if not self.markdown then
    return
  end
  local spans = {}
  local fence = self.fence
  for index, line in ipairs(shown) do
    self.fence = fence
    spans[index], fence = require('claude_bridge.chat.markdown').spans(line, fence)
  end
  if self.partial == '' then
    self.fence = fence
  end
  lines.paint(buffer, row, #shown, spans)
end

--- Puts complete lines and an unfinished one at the end; the first of them goes on with the
--- unfinished line that is there.
---@param buffer integer
---@param row integer 0-based, of the stream
---@param raw string[] complete lines; is changed
---@param rest string
function Stream:put(buffer, row, raw, rest)
  local goes_on = self.partial ~= ''
  raw[#raw + 1] = rest
  raw[1] = self.partial .. raw[1]
  self.partial = split.bounded(raw[#raw])
  if self.partial == '' then
    raw[#raw] = nil
  end
  local fit = require('claude_bridge.chat.block').fit
  local shown = {}
  for index, line in ipairs(raw) do
    shown[index] = fit(self.indent .. split.plain(split.bounded(line)))
  end
  local first = row + self.height - (goes_on and 1 or 0)
  if goes_on then
    lines.change(buffer, first, self.shown, shown[1])
  end
  local added = goes_on and vim.list_slice(shown, 2) or shown
  lines.insert(buffer, row + self.height, added)
  self.height = self.height + #added
  self.shown = shown[#shown] or ''
  self:paint(buffer, first, shown)
end

---@param buffer integer
---@param row integer 0-based, of the stream
function Stream:mark_cut(buffer, row)
  local at, size = row + self.room, require('claude_bridge.chat.format').bytes(self.bytes)
  local text = ('%s… cut here: :ClaudeSessionOutput shows all %s'):format(self.indent, size)
  lines.set(buffer, at, self.cut and 1 or 0, { text })
  lines.paint(buffer, at, 1, { { { 0, #text, 'ClaudeSessionDetail' } } })
  if not self.cut then
    self.cut = true
    self.height = self.height + 1
  end
end

---@param buffer integer
---@param row integer 0-based, of the stream
---@param text string
function Stream:put_tail(buffer, row, text)
  self:mark_cut(buffer, row)
  local complete, rest, whole = split.last_lines(text, TAIL_LINES)
  if not whole then
    self.partial, self.shown = '', ''
  end
  self:put(buffer, row, complete, rest)
  local excess = self.height - self.room - 1 - TAIL_LINES
  -- Now and then, not at each line.
  if excess > TAIL_LINES then
    lines.delete(buffer, row + self.room + 1, excess)
    self.height = self.height - excess
  end
end

--- Adds to the end.
---@param buffer integer
---@param row integer 0-based, where the stream begins
---@param text string
function Stream:append(buffer, row, text)
  if text == '' then
    return
  end
  self.bytes = self.bytes + #text
  if self.chunks then
    self.chunks[#self.chunks + 1] = text
  end
  if self.cut then
    self:put_tail(buffer, row, text)
    return
  end
  local room = self.room - self.height + (self.partial ~= '' and 1 or 0)
  local complete, from = split.complete_lines(text, room)
  if #complete == room and from <= #text then
    self:put(buffer, row, complete, '')
    self:put_tail(buffer, row, text:sub(from))
  else
    self:put(buffer, row, complete, text:sub(from))
  end
end

--- Empties the stream for another text.
---@param buffer integer
---@param row integer 0-based
function Stream:reset(buffer, row)
  lines.delete(buffer, row, self.height)
  self.height, self.bytes, self.chunks = 0, 0, {}
  self.cut, self.partial, self.shown, self.fence = false, '', '', nil
end

return Stream
