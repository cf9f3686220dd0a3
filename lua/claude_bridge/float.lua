--- A small window over the others, for text to read.
local M = {}

---@type integer?
local window

local function close()
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
  window = nil
end

---@param lines string[]
---@return integer width, integer height
local function size(lines)
  local widest = 40
  for _, line in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(line))
  end
  local width = math.max(1, math.min(widest + 2, vim.o.columns - 4))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  return width, math.max(1, math.min(rows, vim.o.lines - vim.o.cmdheight - 4))
end

--- Shows lines; a second call takes the place of the first.
---@param lines string[]
---@param title string
function M.show(lines, title)
  close()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'claude_bridge_status'
  local width, height = size(lines)
  window = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor',
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    title = title,
    title_pos = 'center',
  })
  vim.wo[window].wrap = true
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, close, { buffer = buffer, nowait = true })
  end
  require('claude_bridge.autocmd').create(
    'WinLeave',
    { buffer = buffer, once = true, callback = close }
  )
end

return M
