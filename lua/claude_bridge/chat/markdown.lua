--- Highlights of markdown, line by line: what has been said is never looked at again, so that a
--- long conversation costs no more than a short one.
local M = {}

--- Pattern (with a capture, or the whole match) -> group, within one line.
local INLINE = {
  { '`[^`]+`', 'ClaudeSessionCode' },
  { '%*%*[^*]+%*%*', 'ClaudeSessionStrong' },
  { '%[[^%]]+%]%([^)]+%)', 'ClaudeSessionLink' },
  { 'https?://[^%s<>)]+', 'ClaudeSessionLink' },
}
local BLOCK = {
  { '^%s*#+%s.*', 'ClaudeSessionHeading' },
  { '^%s*>.*', 'ClaudeSessionQuote' },
}
local LIST = { '^%s*[-*+]%s', '^%s*%d+[.)]%s' }

---@param line string
---@return string? fence the characters that end the code that begins here
local function opening(line)
  local fence = line:match('^%s*(```+)[^`]*$') or line:match('^%s*(~~~+)')
  return fence
end

---@param line string
---@param fence string
local function closes(line, fence)
  local marks = line:match('^%s*([`~]+)%s*$')
  return marks ~= nil and vim.startswith(marks, fence)
end

---@param line string
---@return claude_bridge.ChatSpan[]
local function prose(line)
  for _, rule in ipairs(BLOCK) do
    if line:find(rule[1]) then
      return { { 0, #line, rule[2] } }
    end
  end
  local spans = {}
  for _, pattern in ipairs(LIST) do
    local first, last = line:find(pattern)
    if first then
      spans[#spans + 1] = { 0, last, 'ClaudeSessionList' }
    end
  end
  for _, rule in ipairs(INLINE) do
    local from = 1
    while true do
      local first, last = line:find(rule[1], from)
      if not first then
        break
      end
      spans[#spans + 1] = { first - 1, last, rule[2] }
      from = last + 1
    end
  end
  return spans
end

--- The highlights of one line.
---@param line string
---@param fence? string what ends the code that this line stands in
---@return claude_bridge.ChatSpan[] spans
---@return string? fence for the next line
function M.spans(line, fence)
  if fence then
    if closes(line, fence) then
      return { { 0, #line, 'ClaudeSessionDetail' } }, nil
    end
    return line ~= '' and { { 0, #line, 'ClaudeSessionCode' } } or {}, fence
  end
  local begun = opening(line)
  if begun then
    return { { 0, #line, 'ClaudeSessionDetail' } }, begun
  end
  return prose(line), nil
end

return M
