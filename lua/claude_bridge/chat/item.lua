--- One entry of the conversation as it stands in the buffer: lines before the text, the text, lines
--- after it, and a blank line. The blank line is never touched: it keeps this entry's changes away
--- from where the next one begins.
---@class claude_bridge.ChatItem
---@field entry claude_bridge.ChatEntry without the text that streams
---@field body? claude_bridge.ChatStream
---@field field? 'text'|'output' which text streams
---@field private buffer integer
---@field private mark integer
---@field private head integer lines
---@field private tail integer lines
---@field kept integer bytes that are counted for this entry
---@field open? boolean whether it was open in the last window that showed it
---@field diffs { [1]: integer, [2]: integer }[] first line of each, from that of the tail, and length
local Item = {}
Item.__index = Item

local api = vim.api
local lines = require('claude_bridge.chat.lines')
local render = require('claude_bridge.chat.render')

--- What folds: the reader opens it to see more than the first line.
local FOLDS = { tool = true, thought = true }

---@param buffer integer
---@param row integer 0-based, where it begins
---@param entry claude_bridge.ChatEntry
---@return claude_bridge.ChatItem
function Item.new(buffer, row, entry)
  lines.insert(buffer, row, { '' })
  local body = render.body(entry.kind)
  local item = setmetatable({
    entry = {},
    buffer = buffer,
    mark = api.nvim_buf_set_extmark(buffer, lines.ANCHORS, row, 0, { right_gravity = false }),
    head = 0,
    tail = 0,
    kept = 0,
    diffs = {},
    body = body and require('claude_bridge.chat.stream').new(body),
    field = body and body.field,
  }, Item)
  item:set(entry)
  return item
end

---@return integer row 0-based, of its first line
function Item:row()
  return api.nvim_buf_get_extmark_by_id(self.buffer, lines.ANCHORS, self.mark, {})[1]
end

---@return integer lines, the blank one included
function Item:height()
  return self.head + (self.body and self.body.height or 0) + self.tail + 1
end

---@return boolean
function Item:folds()
  return FOLDS[self.entry.kind] or false
end

--- Lines from 1, both included: of each diff, then of the whole.
---@return { [1]: integer, [2]: integer }[]
function Item:fold_ranges()
  local first = self:row() + 1
  local tail = first + self:height() - 1 - self.tail
  local ranges = {}
  for _, diff in ipairs(self.diffs) do
    if diff[2] > 1 then
      ranges[#ranges + 1] = { tail + diff[1], tail + diff[1] + diff[2] - 1 }
    end
  end
  ranges[#ranges + 1] = { first, first + self:height() - 1 }
  return ranges
end

---@param row integer 0-based
---@param count integer lines that are there
---@param block claude_bridge.ChatBlock
---@return integer lines that are there now
function Item:draw(row, count, block)
  lines.set(self.buffer, row, count, block.lines)
  lines.paint(self.buffer, row, #block.lines, block.spans)
  return #block.lines
end

function Item:draw_head()
  self.head = self:draw(self:row(), self.head, render.head(self.entry))
end

function Item:draw_tail()
  local block, diffs = render.tail(self.entry)
  self.diffs = diffs
  self.tail = self:draw(self:row() + self:height() - 1 - self.tail, self.tail, block)
end

---@param text string
function Item:append(text)
  self.body:append(self.buffer, self:row() + self.head, text)
end

--- Makes the text that streams another one. What it had in common stays as it is.
---@param text string
function Item:set_text(text)
  local whole = self.body:text()
  if whole and vim.startswith(text, whole) then
    self:append(text:sub(#whole + 1))
    return
  end
  self.body:reset(self.buffer, self:row() + self.head)
  self:append(text)
end

--- Sets these fields of the entry.
---@param fields table
function Item:patch(fields)
  for name, value in pairs(fields) do
    if name ~= self.field then
      self.entry[name] = value
    end
  end
  self:draw_head()
  if self.field and fields[self.field] then
    self:set_text(fields[self.field])
  end
  self:draw_tail()
end

--- Puts another entry in the place of this one.
---@param entry claude_bridge.ChatEntry
function Item:set(entry)
  self.entry = {}
  self:patch(entry)
end

--- Takes its lines away.
function Item:erase()
  lines.delete(self.buffer, self:row(), self:height())
end

--- Takes the mark away at which it began.
function Item:lift()
  api.nvim_buf_del_extmark(self.buffer, lines.ANCHORS, self.mark)
end

return Item
