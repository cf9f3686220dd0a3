--- Shows in buffers what others have written to their files: without a prompt, and never over text
--- that the user has not saved.
local M = {}

---@param buffer integer
---@param message string
---@param level? 'info'|'warn'
local function tell(buffer, message, level)
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(buffer))
  require('claude_bridge.ui').notify({
    level = level or 'warn',
    message = ('%s %s'):format(name, message),
  })
end

--- Neovim's own question is answered for the length of our check only; at other times it is the
--- user's to answer.
---@param buffer integer
---@return integer autocommand
local function answer_for(buffer)
  return vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buffer,
    callback = function()
      local reason = vim.v.fcs_reason
      vim.v.fcs_choice = ''
      if vim.bo[buffer].modified then
        tell(
          buffer,
          'changed on disk; your unsaved text stays (compare: :w !diff % -, or :DiffOrig)'
        )
      elseif reason == 'deleted' then
        tell(buffer, 'is gone from the disk; its text is still here')
      elseif reason == 'changed' then
        vim.v.fcs_choice = 'reload'
      end
    end,
  })
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
local function load_created(buffer)
  if vim.bo[buffer].modified then
    tell(buffer, 'was created on disk meanwhile; your unsaved text stays')
    return
  end
  vim.api.nvim_buf_call(buffer, function()
    vim.cmd('silent! keepalt keepjumps edit!')
  end)
end

--- Shows what is on disk in one loaded buffer.
---@param buffer integer
function M.reload_buffer(buffer)
  local views = save_views(buffer)
  if was_created(buffer) then
    load_created(buffer)
    restore_views(views)
    return
  end
  local answer = answer_for(buffer)
  local undoreload, eventignore = vim.o.undoreload, vim.o.eventignore
  -- The undo history stays, however long the file is; and our answer must be heard.
  vim.o.undoreload, vim.o.eventignore = -1, ''
  local done, problem = pcall(vim.cmd, ('silent checktime %d'):format(buffer))
  vim.o.undoreload, vim.o.eventignore = undoreload, eventignore
  pcall(vim.api.nvim_del_autocmd, answer)
  restore_views(views)
  if not done then
    error(problem, 0)
  end
end

--- Shows what is on disk in the loaded buffers of these files.
---@param p { paths: string[] } absolute
function M.reload(p)
  local paths = require('claude_bridge.paths')
  for _, path in ipairs(p.paths) do
    local buffer = paths.buffer_of(path)
    if buffer and vim.api.nvim_buf_is_loaded(buffer) then
      M.reload_buffer(buffer)
    end
  end
end

return M
