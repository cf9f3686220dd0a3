--- Compares a buffer with its file on disk, in a tabpage of its own: the file at the left, the
--- buffer at the right. Closing either ends it, and no window of the user's has been touched.
local M = {}

local diff_window = require('claude_bridge.review.diff_window')

---@param buffer integer
---@return boolean
local function is_file(buffer)
  return vim.api.nvim_buf_is_loaded(buffer)
    and vim.bo[buffer].buftype == ''
    and vim.api.nvim_buf_get_name(buffer) ~= ''
end

--- The buffer that is meant: of a file that is named, else the current one, else the one of which
--- the user was told last that both sides have changed.
---@param file? string
---@return integer
local function wanted(file)
  if file then
    local buffer = require('claude_bridge.paths').buffer_of(vim.fn.fnamemodify(file, ':p'))
    if not buffer or not is_file(buffer) then
      error({ message = ('%s is in no buffer'):format(file) }, 0)
    end
    return buffer
  end
  local current = vim.api.nvim_get_current_buf()
  local told = require('claude_bridge.reload').last_conflict()
  local found = vim.iter({ current, told or current }):find(is_file)
  if not found then
    error({ message = 'this is not the buffer of a file; name one' }, 0)
  end
  return found
end

--- What is on screen, by the user's buffer.
---@type table<integer, claude_bridge.DiskDiff>
local shown = {}

---@class claude_bridge.DiskDiff
---@field left integer window
---@field right integer window
---@field buffer integer with the text of the file on disk

--- Both windows go together. Options of a diff must not stay with the user's buffer.
---@param diff claude_bridge.DiskDiff
local function finish(diff)
  for _, window in ipairs({ diff.left, diff.right }) do
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_call(window, function()
        vim.cmd('diffoff | setlocal winbar<')
      end)
      pcall(require('claude_bridge.close_window'), window)
    end
  end
  if vim.api.nvim_buf_is_valid(diff.buffer) then
    pcall(vim.api.nvim_buf_delete, diff.buffer, { force = true })
  end
end

---@param diff claude_bridge.DiskDiff
---@param file integer buffer
local function watch(diff, file)
  local group = vim.api.nvim_create_augroup('claude_bridge_disk_diff_' .. file, { clear = true })
  local create = require('claude_bridge.autocmd').create
  create('WinClosed', {
    group = group,
    callback = function(event)
      local closed = tonumber(event.match)
      if closed ~= diff.left and closed ~= diff.right then
        return
      end
      vim.api.nvim_del_augroup_by_id(group)
      shown[file] = nil
      vim.schedule(function()
        finish(diff)
      end)
    end,
  })
  create({ 'BufWritePost', 'FileChangedShellPost', 'BufReadPost' }, {
    group = group,
    buffer = file,
    callback = function()
      require('claude_bridge.review.original').refill(diff.buffer, vim.api.nvim_buf_get_name(file))
    end,
  })
end

---@param window integer
---@param title string
local function prepare(window, title)
  vim.api.nvim_set_option_value('winbar', title, { win = window, scope = 'local' })
  vim.api.nvim_win_call(window, function()
    vim.cmd('diffthis')
  end)
end

--- Shows the comparison.
---@param file? string
function M.show(file)
  local buffer = wanted(file)
  if shown[buffer] then
    vim.api.nvim_set_current_win(shown[buffer].right)
    return
  end
  local path = vim.api.nvim_buf_get_name(buffer)
  local disk = require('claude_bridge.review.original').on_disk(path)
  if disk.note then
    vim.api.nvim_buf_delete(disk.buffer, { force = true })
    local why = disk.note == 'new file' and 'is not on disk' or disk.note
    error({ message = ('%s %s'):format(vim.fs.basename(path), why) }, 0)
  end
  -- Not `:sbuffer`, which 'switchbuf' may send to a window that shows the buffer already.
  vim.cmd('tab split')
  local right = vim.api.nvim_get_current_win()
  vim.wo[right].winfixbuf = false
  vim.api.nvim_win_set_buf(right, buffer)
  local left = vim.api.nvim_open_win(disk.buffer, false, { win = right, split = 'left' })
  local name = diff_window.literal(vim.fs.basename(path))
  prepare(left, (' %s on disk'):format(name))
  prepare(right, ('%%< %s in Neovim%%= :w! keeps it, :e! takes the other, :q ends '):format(name))
  shown[buffer] = { left = left, right = right, buffer = disk.buffer }
  watch(shown[buffer], buffer)
  diff_window.go_to_first_change()
end

return M
