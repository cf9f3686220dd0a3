--- Where a session is on the screen: the conversation at a side, the prompt below it.
local M = {}

local api = vim.api

---@return { side: 'left'|'right', width: number, prompt_height: integer }
local function options()
  return require('claude_bridge.config').get().session
end

--- A window of this tab page.
---@param buffer integer
---@return integer?
function M.of(buffer)
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(window) == buffer then
      return window
    end
  end
end

--- A window of this tab page that shows another session's buffer of the same kind.
---@param filetype string
---@return integer?
local function of_kind(filetype)
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if vim.bo[api.nvim_win_get_buf(window)].filetype == filetype then
      return window
    end
  end
end

---@return integer columns
local function columns()
  local width = options().width
  return math.max(20, math.floor(width < 1 and vim.o.columns * width or width))
end

--- Whether the focus may go elsewhere: not while keys would go where the user does not look.
---@return boolean
function M.may_focus()
  local mode = api.nvim_get_mode()
  return mode.mode == 'n' and not mode.blocking and vim.fn.getcmdwintype() == ''
end

---@param buffer integer
---@param open fun(): integer
---@return integer window
local function place(buffer, open)
  local window = M.of(buffer) or of_kind(vim.bo[buffer].filetype)
  if not window then
    return open()
  end
  if api.nvim_win_get_buf(window) ~= buffer then
    api.nvim_win_set_buf(window, buffer)
  end
  return window
end

---@param session claude_bridge.ChatSession
local function show(session)
  local conversation = session.view.buffer
  local compose = session.compose:buffer()
  local upper = place(conversation, function()
    local window = api.nvim_open_win(conversation, false, {
      split = options().side,
      win = -1,
      width = columns(),
    })
    api.nvim_win_set_cursor(window, { api.nvim_buf_line_count(conversation), 0 })
    vim.w[window].claude_bridge_width = api.nvim_win_get_width(window)
    return window
  end)
  local lower = place(compose, function()
    return api.nvim_open_win(compose, false, {
      split = 'below',
      win = upper,
      height = options().prompt_height,
    })
  end)
  if M.may_focus() then
    api.nvim_set_current_win(lower)
  end
end

--- The screen has another size. A width that the user has chosen stays.
---@param buffer integer
function M.refit(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    if vim.w[window].claude_bridge_width == api.nvim_win_get_width(window) then
      api.nvim_win_set_width(window, columns())
      vim.w[window].claude_bridge_width = api.nvim_win_get_width(window)
    end
  end
end

--- Shows a session in this tab page, and puts the cursor into its prompt unless the user is typing.
---@param session claude_bridge.ChatSession
function M.show(session)
  require('claude_bridge.chat.sessions').touch(session)
  if vim.fn.getcmdwintype() == '' then
    show(session)
    return
  end
  -- No window can be opened as long as the command-line window is.
  require('claude_bridge.autocmd').create('CmdwinLeave', {
    once = true,
    callback = vim.schedule_wrap(function()
      if session.view and session.view:is_alive() then
        show(session)
      end
    end),
  })
end

--- Closes the windows of a session in this tab page; the session goes on.
---@param session claude_bridge.ChatSession
function M.hide(session)
  for _, buffer in ipairs({ session.compose:buffer(), session.view and session.view.buffer }) do
    local window = M.of(buffer)
    if window and #api.nvim_tabpage_list_wins(0) > 1 then
      api.nvim_win_close(window, true)
    end
  end
end

---@type table<string, fun(wo: table)>
local looks = {
  claude_bridge_session = function(wo)
    wo.foldmethod = 'manual'
    wo.foldenable = true
    wo.foldminlines = 1
    wo.foldtext = ''
    wo.fillchars = 'fold: ,eob: '
    wo.winbar = "%{%v:lua.require'claude_bridge.chat.status'.winbar()%}"
    wo.winfixwidth = true
  end,
  claude_bridge_prompt = function(wo)
    wo.fillchars = 'eob: '
    wo.winbar = "%{%v:lua.require'claude_bridge.chat.status'.compose_bar()%}"
    wo.winfixheight = true
    wo.winfixwidth = true
  end,
}

--- Sets the looks of a window that has come to show a buffer of a session.
---@param window integer
---@param buffer integer
local function dress(window, buffer)
  -- With the buffer, so that the options do not stay behind in the window.
  local wo = vim.wo[window][0]
  wo.number, wo.relativenumber, wo.list, wo.spell = false, false, false, false
  wo.signcolumn, wo.foldcolumn, wo.colorcolumn = 'no', '0', ''
  wo.wrap, wo.linebreak, wo.breakindent = true, true, true
  looks[vim.bo[buffer].filetype](wo)
end

--- The current window has come to show a buffer of a session.
---@param session claude_bridge.ChatSession
---@param buffer integer
function M.entered(session, buffer)
  local window = api.nvim_get_current_win()
  dress(window, buffer)
  if session.view and session.view.buffer == buffer then
    session.view:entered(window)
  end
end

return M
