--- Lines with their highlights, put together before they go to a buffer.
---@class claude_bridge.ChatBlock
---@field lines string[]
---@field spans table<integer, claude_bridge.ChatSpan[]> by line, from 1
local Block = {}
Block.__index = Block

--- A longer line makes the screen slow and says nothing more.
local LINE_BYTES = 1000

---@return claude_bridge.ChatBlock
function Block.new()
  return setmetatable({ lines = {}, spans = {} }, Block)
end

--- Cuts a line that is too long to show, between characters.
---@param line string
---@return string
function Block.fit(line)
  if #line <= LINE_BYTES then
    return line
  end
  local cut = LINE_BYTES + vim.str_utf_start(line, LINE_BYTES + 1)
  return line:sub(1, cut) .. ' …'
end

--- Adds one line. Line breaks in it become blanks.
---@param ... string|{ [1]: string, [2]: string? } texts, each with its highlight group
---@return claude_bridge.ChatBlock
function Block:add(...)
  local text, spans = {}, {}
  local column = 0
  for _, part in ipairs({ ... }) do
    local words = type(part) == 'table' and part[1] or part
    local group = type(part) == 'table' and part[2] or nil
    words = Block.fit((words:gsub('[\r\n]+', ' ')))
    text[#text + 1] = words
    if group and words ~= '' then
      spans[#spans + 1] = { column, column + #words, group }
    end
    column = column + #words
  end
  self.lines[#self.lines + 1] = table.concat(text)
  if #spans > 0 then
    self.spans[#self.lines] = spans
  end
  return self
end

--- Adds the lines of a text, at most as many as told, and says where it was cut.
---@param text string
---@param options { indent?: string, group?: string, limit?: integer, syntax?: string }
---@return claude_bridge.ChatBlock
function Block:add_text(text, options)
  local limit, count, from = options.limit or math.huge, 0, 1
  while from <= #text do
    if count == limit then
      local left = require('claude_bridge.chat.format').bytes(#text - from + 1)
      return self:add(options.indent or '', { ('… %s more'):format(left), 'ClaudeSessionDetail' })
    end
    local break_at = text:find('\n', from, true)
    local line = text:sub(from, (break_at or #text + 1) - 1):gsub('\r$', '')
    self:add(options.indent or '', { line, options.group })
    from, count = (break_at or #text) + 1, count + 1
  end
  return self
end

---@param other claude_bridge.ChatBlock
---@return claude_bridge.ChatBlock
function Block:append(other)
  for index, line in ipairs(other.lines) do
    self.lines[#self.lines + 1] = line
    self.spans[#self.lines] = other.spans[index]
  end
  return self
end

return Block
