--- Texts of agents and tools taken apart into lines to show.
local M = {}

--- Of a line that has not ended no more than its beginning is kept.
local PARTIAL_BYTES = 4096
--- Of a text that comes at once no more than its end is looked at for the tail.
local TAIL_BYTES = 65536

--- A line of a terminal as a person sees it in the end: what a carriage return goes back over is
--- gone, and so are colours.
---@param raw string
---@return string
function M.plain(raw)
  if raw:find('\r', 1, true) then
    raw = raw:gsub('\r+$', ''):match('[^\r]*$')
  end
  if raw:find('\27', 1, true) then
    raw = raw:gsub('\27%[[%d;:?]*[ -/]*[@-~]', ''):gsub('\27%][^\7\27]*\27?[\7\\]', '')
  end
  return raw
end

--- What is needed of a line that may still grow.
---@param rest string
---@return string
function M.bounded(rest)
  if rest:find('\r', 1, true) then
    local at = rest:match('^.*\r()[^\r]')
    rest = at and rest:sub(at) or rest
  end
  return #rest > PARTIAL_BYTES and rest:sub(1, PARTIAL_BYTES) or rest
end

--- Splits off complete lines, at most as many as told.
---@param text string
---@param most number
---@return string[] complete, integer next where the rest begins
function M.complete_lines(text, most)
  local found, from = {}, 1
  while #found < most do
    local at = text:find('\n', from, true)
    if not at then
      break
    end
    found[#found + 1] = text:sub(from, at - 1)
    from = at + 1
  end
  return found, from
end

--- The last lines of a text.
---@param text string
---@param most integer
---@return string[] complete, string rest, boolean whole whether that is all of it
function M.last_lines(text, most)
  local whole = #text <= TAIL_BYTES
  if not whole then
    local from = #text - TAIL_BYTES
    text = text:sub((text:find('\n', from, true) or from) + 1)
  end
  local complete, from = M.complete_lines(text, math.huge)
  if #complete > most then
    whole = false
    complete = vim.list_slice(complete, #complete - most + 1)
  end
  return complete, text:sub(from), whole
end

return M
