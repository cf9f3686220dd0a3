--- A small window to write a text in: a reason, an answer, the value of a field.
local M = {}

local api = vim.api

---@class claude_bridge.ChatEditorOptions
---@field title string
---@field text? string
---@field multiline? boolean
---@field submit fun(text: string)
---@field keep? fun(text: string) takes what was written where it is not submitted

---@param buffer integer
---@return string
local function text_of(buffer)
  return table.concat(api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end

---@param buffer integer
---@param multiline? boolean
---@param submit fun()
local function set_keys(buffer, multiline, submit)
  local function map(mode, key, run)
    vim.keymap.set(mode, key, run, { buffer = buffer, nowait = true })
  end
  map('n', '<CR>', submit)
  map({ 'n', 'i' }, '<C-s>', submit)
  if not multiline then
    map('i', '<CR>', submit)
  end
  for _, key in ipairs({ 'q', '<Esc>' }) do
    map('n', key, '<Cmd>close<CR>')
  end
end

--- What nobody takes is not lost.
---@param options claude_bridge.ChatEditorOptions
---@param text string
local function submit_or_keep(options, text)
  local ui = require('claude_bridge.ui')
  local is_taken = ui.guard(function()
    options.submit(text)
  end)
  if not is_taken and text ~= '' then
    vim.fn.setreg('"', text)
    ui.notify({ level = 'info', message = 'what you wrote is in the unnamed register: p puts it' })
  end
end

--- Opens the window and starts Insert mode in it: the user has asked for it by a key.
---@param options claude_bridge.ChatEditorOptions
function M.open(options)
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'claude_bridge_answer'
  local lines = vim.split(options.text or '', '\n', { plain = true })
  api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  local width = math.max(1, math.min(70, vim.o.columns - 4))
  local window = api.nvim_open_win(buffer, true, {
    relative = 'editor',
    row = math.max(0, math.floor(vim.o.lines / 2) - 3),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    width = width,
    height = options.multiline and 5 or 1,
    style = 'minimal',
    border = 'rounded',
    zindex = 70,
    title = ' ' .. options.title .. ' ',
    footer = options.multiline and ' <C-s> sends · q closes ' or ' <CR> sends · q closes ',
    footer_pos = 'right',
  })
  local submitted = false
  set_keys(buffer, options.multiline, function()
    submitted = true
    local text = text_of(buffer)
    vim.cmd.stopinsert()
    api.nvim_win_close(window, true)
    submit_or_keep(options, text)
  end)
  require('claude_bridge.autocmd').create('BufWinLeave', {
    buffer = buffer,
    once = true,
    callback = function()
      if not submitted and options.keep then
        options.keep(text_of(buffer))
      end
    end,
  })
  api.nvim_win_set_cursor(window, { #lines, #lines[#lines] })
  vim.cmd.startinsert({ bang = true })
end

return M
