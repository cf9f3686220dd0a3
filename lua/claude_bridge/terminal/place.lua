--- Where a terminal buffer is on screen: its window at the side, and how the user left it.

---@class claude_bridge.TerminalPlace
---@field buffer integer
---@field width? integer as the user left it
---@field columns? integer of the screen at that time
---@field view? table scroll position, where it was left in normal mode
---@field mode 'terminal'|'normal' in which it was left
---@field entering boolean terminal mode has been asked for and is not there yet
---@field ended boolean no process: a key typed in terminal mode would wipe the buffer out
local Place = {}
Place.__index = Place

local M = {}

--- Terminal mode is being left only to show another terminal.
local switching = false

---@param buffer integer
---@return claude_bridge.TerminalPlace
function M.new(buffer)
  return setmetatable(
    { buffer = buffer, mode = 'terminal', entering = false, ended = false },
    Place
  )
end

local function config()
  return require('claude_bridge.config').get().terminal
end

---@return integer columns
function Place:wished_width()
  if self.width and self.columns == vim.o.columns then
    return self.width
  end
  local width = config().width
  local columns = width < 1 and math.floor(vim.o.columns * width) or math.floor(width)
  return math.max(1, math.min(columns, vim.o.columns - 2))
end

---@return integer? window of the current tab page
function Place:window()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == self.buffer then
      return window
    end
  end
end

---@param window integer
local function set_options(window)
  local options = {
    winfixwidth = true,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    list = false,
    spell = false,
    winbar = '',
  }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = window })
  end
end

--- Shows the buffer at the side, or goes to its window.
function Place:show()
  local window = self:window()
  if window then
    vim.api.nvim_set_current_win(window)
    return
  end
  window = vim.api.nvim_open_win(self.buffer, true, {
    split = config().side,
    win = -1,
    width = self:wished_width(),
  })
  set_options(window)
  vim.api.nvim_win_set_width(window, self:wished_width())
  if self.view and self.mode == 'normal' then
    vim.fn.winrestview(self.view)
  end
end

---@return integer number of windows that are no floats, on all tab pages
local function count_windows()
  return #vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_config(window).relative == ''
  end, vim.api.nvim_list_wins())
end

--- The last window cannot be closed: it shows another buffer instead.
---@param window integer
local function close(window)
  if count_windows() > 1 then
    vim.api.nvim_win_hide(window)
    return
  end
  local alternate = vim.api.nvim_win_call(window, function()
    return vim.fn.bufnr('#')
  end)
  local own = vim.api.nvim_win_get_buf(window)
  local usable = alternate > 0 and alternate ~= own and vim.bo[alternate].buflisted
  vim.wo[window].winfixwidth = false
  vim.api.nvim_win_set_buf(window, usable and alternate or vim.api.nvim_create_buf(true, false))
end

---@return boolean hidden false where it is not on this tab page
function Place:hide()
  local window = self:window()
  if not window then
    return false
  end
  self.width, self.columns = vim.api.nvim_win_get_width(window), vim.o.columns
  self.view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  close(window)
  return true
end

function Place:close_everywhere()
  for _, window in ipairs(vim.fn.win_findbuf(self.buffer)) do
    close(window)
  end
end

--- Goes to terminal mode. Call it in normal mode.
function Place:insert()
  self.entering = true
  vim.cmd.startinsert()
end

--- The process has ended, and its output stays to be read.
function Place:freeze()
  self.ended = true
  if vim.api.nvim_get_current_buf() == self.buffer then
    vim.cmd.stopinsert()
  end
end

--- Leaves the terminal mode of another terminal before something is shown: whether Neovim goes on
--- in terminal mode when another buffer comes under it depends on its version.
---@param run fun()
function M.from_normal_mode(run)
  if vim.api.nvim_get_mode().mode ~= 't' then
    run()
    return
  end
  switching = true
  require('claude_bridge.autocmd').create('ModeChanged', {
    pattern = 't:*',
    once = true,
    callback = vim.schedule_wrap(function()
      switching = false
      run()
    end),
  })
  vim.cmd.stopinsert()
end

--- Keeps the mode in which the window is left, and gives it back when it is entered.
function Place:watch()
  local group = vim.api.nvim_create_augroup('claude_bridge_terminal_' .. self.buffer, {})
  local function on(event, callback)
    require('claude_bridge.autocmd').create(
      event,
      { group = group, buffer = self.buffer, callback = callback }
    )
  end
  on('TermEnter', function()
    self.mode, self.entering = 'terminal', false
  end)
  -- A key map or a mouse click leaves terminal mode only to go elsewhere; who rests in normal mode
  -- comes to a safe state there.
  on('TermLeave', function()
    require('claude_bridge.autocmd').create('SafeState', {
      group = group,
      once = true,
      callback = function()
        if vim.api.nvim_get_current_buf() == self.buffer and not switching then
          self.mode = 'normal'
        end
      end,
    })
  end)
  on({ 'WinEnter', 'BufWinEnter' }, function()
    if not self.ended and (config().auto_insert or self.mode == 'terminal') then
      self:insert()
    end
  end)
  -- A visit within one command, such as `:windo`, must not leave another window in insert mode.
  on('WinLeave', function()
    if self.entering then
      self.entering = false
      vim.cmd.stopinsert()
    end
  end)
  on('BufWipeout', function()
    pcall(vim.api.nvim_del_augroup_by_id, group)
  end)
end

return M
