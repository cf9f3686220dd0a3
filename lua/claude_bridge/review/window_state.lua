--- What a review changes in the user's windows, remembered so that it can be put back.
local M = {}

--- Options that diff mode or a review sets in a window.
local LOCAL_OPTIONS = {
  'cursorbind',
  'diff',
  'foldcolumn',
  'foldenable',
  'foldlevel',
  'foldmethod',
  'scrollbind',
  'winbar',
  'wrap',
}

--- Options that say how a text looks in a window.
local LOOK = {
  'breakindent',
  'breakindentopt',
  'colorcolumn',
  'concealcursor',
  'conceallevel',
  'cursorcolumn',
  'cursorline',
  'cursorlineopt',
  'fillchars',
  'linebreak',
  'list',
  'listchars',
  'number',
  'numberwidth',
  'relativenumber',
  'scrolloff',
  'showbreak',
  'sidescrolloff',
  'signcolumn',
  'spell',
  'statuscolumn',
  'winhighlight',
  'wrap',
}

---@param window integer?
---@return boolean
function M.is_open(window)
  return window ~= nil and vim.api.nvim_win_is_valid(window)
end

--- Sets an option of a window, where it has another value: to set 'foldmethod' to what it is would
--- throw folds away.
---@param window integer
---@param name string
---@param value any
local function set(window, name, value)
  local where = { win = window, scope = 'local' }
  if vim.api.nvim_get_option_value(name, where) ~= value then
    vim.api.nvim_set_option_value(name, value, where)
  end
end

---@class claude_bridge.WindowState
---@field buffer integer
---@field view table of winsaveview()
---@field options table<string, any>
---@field folds? string commands that make the folds again

--- Folds that were made by hand go when 'foldmethod' changes.
---@param window integer
---@return string? commands that make them again
local function save_folds(window)
  if vim.wo[window].foldmethod ~= 'manual' then
    return nil
  end
  local file = vim.fn.tempname()
  local viewoptions = vim.o.viewoptions
  vim.o.viewoptions = 'folds'
  local saved = pcall(vim.api.nvim_win_call, window, function()
    vim.cmd('silent mkview! ' .. vim.fn.fnameescape(file))
  end)
  vim.o.viewoptions = viewoptions
  local script = saved and table.concat(vim.fn.readfile(file), '\n') or ''
  vim.uv.fs_unlink(file)
  -- The rest of such a script would open the file again and tell plugins of a session.
  local commands = script:match('\n(silent! normal! zE\n.-)\nlet &fdl')
  return commands and commands:find('%dfold') and commands or nil
end

---@param window integer
---@param keeps_buffer boolean the window goes on showing its buffer; Neovim itself remembers the
---folds of one that it takes out of sight
---@return claude_bridge.WindowState
function M.save(window, keeps_buffer)
  local options = {}
  for _, name in ipairs(LOCAL_OPTIONS) do
    options[name] = vim.api.nvim_get_option_value(name, { win = window, scope = 'local' })
  end
  return {
    buffer = vim.api.nvim_win_get_buf(window),
    view = vim.api.nvim_win_call(window, vim.fn.winsaveview),
    options = options,
    folds = keeps_buffer and save_folds(window) or nil,
  }
end

--- Makes the text of a window look like that of another.
---@param from integer
---@param to integer
function M.copy_look(from, to)
  for _, name in ipairs(LOOK) do
    set(to, name, vim.api.nvim_get_option_value(name, { win = from, scope = 'local' }))
  end
end

--- Ends the diff of a window, and clears up where Neovim has ended it when the other side closed.
---@param window integer
function M.leave_diff(window)
  vim.api.nvim_win_call(window, function()
    if vim.wo.diff then
      vim.cmd('diffoff')
    end
    -- Neovim keeps the folds of the diff and hides them by 'nofoldenable', which goes too.
    if vim.wo.foldmethod == 'manual' then
      vim.cmd('silent! normal! zE')
    end
  end)
end

--- Puts the options back, in whatever buffer the window shows.
---@param window integer
---@param state claude_bridge.WindowState
function M.restore_options(window, state)
  for name, value in pairs(state.options) do
    set(window, name, value)
  end
end

--- Puts cursor, scroll position and hand-made folds back, if the window shows its buffer.
---@param window integer
---@param state claude_bridge.WindowState
function M.restore_view(window, state)
  if vim.api.nvim_win_get_buf(window) ~= state.buffer then
    return
  end
  vim.api.nvim_win_call(window, function()
    if state.folds then
      pcall(vim.api.nvim_exec2, state.folds, { output = true })
    end
    vim.fn.winrestview(state.view)
  end)
end

--- Shows a buffer in a window and leaves no trace: the buffer that was there stays loaded, the
--- alternate file and the jump list stay.
---@param window integer
---@param buffer integer
function M.swap_buffer(window, buffer)
  vim.api.nvim_win_call(window, function()
    vim.cmd(('noautocmd hide keepalt keepjumps buffer %d'):format(buffer))
  end)
end

---@param tabpage integer
---@return integer[] windows in the order of their numbers, without floating ones
function M.tiled(tabpage)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_config(window).relative == ''
  end, vim.api.nvim_tabpage_list_wins(tabpage))
end

--- Runs a step in which a window gives up room: Neovim would take that of all others to keep the size
--- of one that is fixed.
---@generic T
---@param window integer
---@param step fun(): T
---@return T
function M.unfixed(window, step)
  local options = vim.wo[window]
  local width, height = options.winfixwidth, options.winfixheight
  options.winfixwidth, options.winfixheight = false, false
  local done, result = pcall(step)
  options.winfixwidth, options.winfixheight = width, height
  if not done then
    error(result, 0)
  end
  return result
end

---@class claude_bridge.Sizes
---@field windows integer[]
---@field command string of winrestcmd()

---@param tabpage integer
---@return claude_bridge.Sizes
function M.save_sizes(tabpage)
  local windows = M.tiled(tabpage)
  return {
    windows = windows,
    command = vim.api.nvim_win_call(windows[1], vim.fn.winrestcmd),
  }
end

--- The sizes of some windows, to see later whether anyone has changed them.
---@param windows integer[]
---@return string
function M.measure(windows)
  return table.concat(
    vim.tbl_map(function(window)
      if not vim.api.nvim_win_is_valid(window) then
        return 'gone'
      end
      local size = { vim.api.nvim_win_get_width(window), vim.api.nvim_win_get_height(window) }
      return table.concat(size, 'x')
    end, windows),
    ' '
  )
end

--- Gives the windows their sizes again, if they are the same windows.
---@param tabpage integer
---@param sizes claude_bridge.Sizes
function M.restore_sizes(tabpage, sizes)
  if vim.deep_equal(M.tiled(tabpage), sizes.windows) then
    vim.api.nvim_win_call(sizes.windows[1], function()
      vim.cmd(sizes.command)
    end)
  end
end

return M
