--- Going through a conversation.
local M = {}

local api = vim.api

---@return claude_bridge.ChatSession
local function here()
  local session = require('claude_bridge.chat.sessions').current()
  if not session or not session.view or session.view.buffer ~= api.nvim_get_current_buf() then
    error({ message = 'the cursor is not in a conversation' })
  end
  return session
end

--- Opens or closes the fold of the entry at the cursor.
function M.fold()
  here()
  if vim.fn.foldlevel('.') == 0 then
    return
  end
  local last = vim.fn.foldclosedend('.')
  vim.cmd('normal! za')
  -- What has been opened is to be seen.
  if vim.fn.foldclosed('.') == -1 and last > vim.fn.line('w$') then
    vim.cmd('normal! zt')
  end
end

--- Goes to the beginning of the next entry, or to the one before.
---@param step -1|1
function M.jump(step)
  local view = here().view
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local target = view:neighbour(row, step)
  if target then
    api.nvim_win_set_cursor(0, { target + 1, 0 })
  end
end

--- Shows the whole text of the entry at the cursor in a buffer of its own.
function M.output()
  local item = here().view:at(api.nvim_win_get_cursor(0)[1] - 1)
  local text = item and item.body and item.body:text()
  if not text then
    error({ message = 'no whole text is kept of what is at the cursor' })
  end
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].undolevels = -1
  api.nvim_buf_set_lines(buffer, 0, -1, true, vim.split(text, '\n', { plain = true }))
  vim.bo[buffer].modifiable = false
  if item.field == 'text' then
    vim.bo[buffer].filetype = 'markdown'
  end
  vim.cmd.split()
  api.nvim_win_set_buf(0, buffer)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true })
end

return M
