--- What the user has sent, to be sent again. One history for all sessions.
local M = {}

local MAX = 200

---@type string[] the oldest first
local texts = {}

--- buffer -> where in the history it is, and the text that was there before.
---@type table<integer, { at: integer, draft: string[], shown: string }>
local browsing = {}

---@param text string
function M.add(text)
  if text ~= '' and texts[#texts] ~= text then
    texts[#texts + 1] = text
    if #texts > MAX then
      table.remove(texts, 1)
    end
  end
end

---@param buffer integer
---@return string
local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end

---@param buffer integer
---@param lines string[]
local function show(buffer, lines)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  if vim.api.nvim_get_current_buf() == buffer then
    vim.api.nvim_win_set_cursor(0, { #lines, #lines[#lines] })
  end
end

--- Goes through the history. A text that the user has begun comes back at its end.
---@param buffer integer
---@param step -1|1 older or newer
function M.move(buffer, step)
  local state = browsing[buffer]
  -- What was changed since is a draft of its own.
  if not state or text_of(buffer) ~= state.shown then
    state = {
      at = #texts + 1,
      draft = vim.api.nvim_buf_get_lines(buffer, 0, -1, true),
      shown = '',
    }
  end
  local at = state.at + step
  if at < 1 or at > #texts + 1 then
    return
  end
  local lines = at > #texts and state.draft or vim.split(texts[at], '\n', { plain = true })
  show(buffer, lines)
  state.at, state.shown = at, table.concat(lines, '\n')
  browsing[buffer] = at <= #texts and state or nil
end

return M
