--- Shows in buffers what others have written to their files: without a prompt, and never over text
--- that the user has not saved.
local M = {}

--- A file that is away or empty no longer than this was just being written.
local WRITING_MS = 300

--- The buffer of which the user was told last.
---@type integer?
local last_conflict

--- Buffers of which the user knows that both sides have changed: an agent that goes on writing is
--- no news.
---@type table<integer, true>
local known = {}

---@param buffer integer
local function forget_when_settled(buffer)
  known[buffer] = true
  require('claude_bridge.autocmd').create({ 'BufWritePost', 'BufReadPost', 'BufWipeout' }, {
    buffer = buffer,
    once = true,
    callback = function()
      known[buffer] = nil
    end,
  })
end

---@param buffer integer
---@param message string
local function tell(buffer, message)
  last_conflict = buffer
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
  require('claude_bridge.ui').notify({ level = 'warn', message = ('%s %s'):format(name, message) })
end

---@param buffer integer
---@param what 'changed'|'was created'
---@return string? message nil where the user knows
local function conflict(buffer, what)
  if known[buffer] then
    return nil
  end
  forget_when_settled(buffer)
  return what .. ' on disk; your unsaved text stays (:ClaudeDiffDisk shows both)'
end

--- What is to be done about a change, and what the user is told of it.
---@param buffer integer
---@param reason string of v:fcs_reason
---@return ''|'reload' choice
---@return string? message
local function answer(buffer, reason)
  if reason == 'deleted' then
    return '', 'is gone from the disk; its text is still here'
  end
  if vim.bo[buffer].modified then
    return '', conflict(buffer, 'changed')
  end
  return reason == 'changed' and 'reload' or ''
end

--- Has Neovim compare a buffer with its file. Its question is answered for the length of this check
--- only; at other times it is the user's to answer.
---@param buffer integer
---@return string? message for the user
local function check(buffer)
  local message
  local autocommand = require('claude_bridge.autocmd').create('FileChangedShell', {
    buffer = buffer,
    callback = function()
      vim.v.fcs_choice, message = answer(buffer, vim.v.fcs_reason)
    end,
  })
  local undoreload, eventignore = vim.o.undoreload, vim.o.eventignore
  -- The undo history stays, however long the file is; and our answer must be heard.
  vim.o.undoreload, vim.o.eventignore = -1, ''
  local done, problem = pcall(vim.cmd, ('silent checktime %d'):format(buffer))
  vim.o.undoreload, vim.o.eventignore = undoreload, eventignore
  pcall(vim.api.nvim_del_autocmd, autocommand)
  if not done then
    error(problem, 0)
  end
  return message
end

---@param buffer integer
---@return table<integer, table> views of the windows that show the buffer
local function save_views(buffer)
  local views = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    views[window] = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  end
  return views
end

---@param views table<integer, table>
local function restore_views(views)
  for window, view in pairs(views) do
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_call(window, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

--- Whether the buffer was opened for a file that did not exist and does now. Neovim asks in a
--- dialog then, past every autocommand.
---@param buffer integer
---@return boolean
local function was_created(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if not vim.uv.fs_stat(name) then
    return false
  end
  local info = vim.api.nvim_buf_call(buffer, function()
    return vim.api.nvim_exec2('file!', { output = true }).output
  end)
  return info:find('[New]', 1, true) ~= nil or info:find(vim.fn.gettext('[New]'), 1, true) ~= nil
end

---@param buffer integer
---@return string? message for the user
local function load_created(buffer)
  if not vim.bo[buffer].modified then
    vim.api.nvim_buf_call(buffer, function()
      vim.cmd('silent! keepalt keepjumps edit!')
    end)
    return nil
  end
  return conflict(buffer, 'was created')
end

--- Shows what is on disk in one loaded buffer.
---@param buffer integer
local function reload_buffer(buffer)
  if not vim.bo[buffer].modified then
    known[buffer] = nil
  end
  local views = save_views(buffer)
  -- Not an `and ... or`: a buffer for a new file must not come to Neovim's own check.
  local step = was_created(buffer) and load_created or check
  local message = step(buffer)
  restore_views(views)
  if message then
    tell(buffer, message)
  end
end

--- Many programs delete or empty a file before they write its new text.
---@param buffer integer
---@return boolean
local function may_be_half_written(buffer)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(buffer))
  return (not stat or stat.size == 0) and vim.api.nvim_buf_get_offset(buffer, 1) > 1
end

---@param paths string[]
---@param is_second boolean the files have been waited for
local function reload(paths, is_second)
  local waiting = {}
  for _, path in ipairs(paths) do
    local buffer = require('claude_bridge.paths').buffer_of(path)
    if buffer and vim.api.nvim_buf_is_loaded(buffer) then
      if not is_second and may_be_half_written(buffer) then
        table.insert(waiting, path)
      else
        reload_buffer(buffer)
      end
    end
  end
  if #waiting > 0 then
    vim.defer_fn(function()
      M.reload({ paths = waiting }, true)
    end, WRITING_MS)
  end
end

---@return integer? buffer
function M.last_conflict()
  return last_conflict and vim.api.nvim_buf_is_valid(last_conflict) and last_conflict or nil
end

--- Shows what is on disk in the loaded buffers of these files.
---@param p { paths: string[] } absolute
---@param is_second? boolean
function M.reload(p, is_second)
  if vim.fn.getcmdwintype() == '' then
    return reload(p.paths, is_second == true)
  end
  -- No buffer may change there; the change is not lost.
  local again = vim.schedule_wrap(function()
    M.reload(p, is_second)
  end)
  require('claude_bridge.autocmd').create('CmdwinLeave', { once = true, callback = again })
end

return M
