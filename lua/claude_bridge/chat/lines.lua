--- Changes to a conversation buffer, each no larger than it must be: lines that stay are not
--- touched, so that folds, marks and the reader's place stay too.
local M = {}

local api = vim.api

--- Highlights of the conversation.
M.PAINT = api.nvim_create_namespace('claude_bridge_session')
--- Where entries begin.
M.ANCHORS = api.nvim_create_namespace('claude_bridge_session_entries')

---@param buffer integer
---@param row integer 0-based
---@param count integer
local function unpaint(buffer, row, count)
  api.nvim_buf_clear_namespace(buffer, M.PAINT, row, row + count)
end

---@param buffer integer
---@param row integer 0-based
---@param lines string[]
function M.insert(buffer, row, lines)
  if #lines > 0 then
    api.nvim_buf_set_lines(buffer, row, row, true, lines)
  end
end

---@param buffer integer
---@param row integer 0-based
---@param count integer
function M.delete(buffer, row, count)
  if count > 0 then
    unpaint(buffer, row, count)
    api.nvim_buf_set_lines(buffer, row, row + count, true, {})
  end
end

--- Makes one line another. Text that is added at its end leaves what is before alone.
---@param buffer integer
---@param row integer 0-based
---@param old string
---@param new string
function M.change(buffer, row, old, new)
  if old == new then
    return
  end
  local from = vim.startswith(new, old) and #old or 0
  api.nvim_buf_set_text(buffer, row, from, row, #old, { new:sub(from + 1) })
end

---@param a string[]
---@param b string[]
---@return integer from_start, integer from_end how many lines are the same
local function in_common(a, b)
  local most = math.min(#a, #b)
  local head = 0
  while head < most and a[head + 1] == b[head + 1] do
    head = head + 1
  end
  local tail = 0
  while tail < most - head and a[#a - tail] == b[#b - tail] do
    tail = tail + 1
  end
  return head, tail
end

--- Makes `count` lines from `row` on the given ones.
---@param buffer integer
---@param row integer 0-based
---@param count integer
---@param lines string[]
function M.set(buffer, row, count, lines)
  local old = api.nvim_buf_get_lines(buffer, row, row + count, true)
  local head, tail = in_common(old, lines)
  local old_middle, new_middle = #old - head - tail, #lines - head - tail
  local both = math.min(old_middle, new_middle)
  for index = head + 1, head + both do
    M.change(buffer, row + index - 1, old[index], lines[index])
  end
  local after = row + head + both
  M.delete(buffer, after, old_middle - both)
  M.insert(buffer, after, vim.list_slice(lines, head + both + 1, head + new_middle))
end

---@class claude_bridge.ChatSpan
---@field [1] integer first byte, 0-based
---@field [2] integer byte after the last
---@field [3] string highlight group

--- Gives lines their highlights, in place of those that they had.
---@param buffer integer
---@param row integer 0-based
---@param count integer
---@param spans table<integer, claude_bridge.ChatSpan[]> by line, from 1
---@param namespace? integer
function M.paint(buffer, row, count, spans, namespace)
  namespace = namespace or M.PAINT
  api.nvim_buf_clear_namespace(buffer, namespace, row, row + count)
  for line, list in pairs(spans) do
    for _, span in ipairs(list) do
      api.nvim_buf_set_extmark(buffer, namespace, row + line - 1, span[1], {
        end_col = span[2],
        hl_group = span[3],
        strict = false,
      })
    end
  end
end

return M
