--- The files that are open in the editor: list, state, saving.
local M = {}

---@param buf integer
---@return { path: string, language_id: string, line_count: integer }
function M.describe(buf)
  return {
    path = vim.api.nvim_buf_get_name(buf),
    language_id = vim.bo[buf].filetype,
    line_count = vim.api.nvim_buf_line_count(buf),
  }
end

---@return integer[] buffers that hold a file's text and are listed
local function open_buffers()
  local is_real_file = require('claude_bridge.paths').is_real_file
  return vim.tbl_filter(function(buf)
    return vim.api.nvim_buf_is_loaded(buf) and vim.fn.buflisted(buf) == 1 and is_real_file(buf)
  end, vim.api.nvim_list_bufs())
end

--- The paths of all open files.
---@return string[]
function M.paths()
  return vim.tbl_map(vim.api.nvim_buf_get_name, open_buffers())
end

---@return table[]
function M.list()
  local win = require('claude_bridge.windows').active_file()
  local active = win and vim.api.nvim_win_get_buf(win)
  return vim.tbl_map(function(buf)
    local document = M.describe(buf)
    document.is_active = buf == active
    document.is_dirty = vim.bo[buf].modified
    return document
  end, open_buffers())
end

---@param path string
---@return integer? buf loaded
local function loaded(path)
  local buf = require('claude_bridge.paths').buffer_of(path)
  return buf and vim.api.nvim_buf_is_loaded(buf) and buf or nil
end

---@param p { path: string }
---@return table?
function M.state(p)
  local buf = loaded(p.path)
  return buf
    and {
      path = vim.api.nvim_buf_get_name(buf),
      is_dirty = vim.bo[buf].modified,
      is_untitled = false,
      has_language_server = #vim.lsp.get_clients({ bufnr = buf }) > 0,
    }
end

--- Answers "no" to whatever Neovim asks while `work` runs, since nobody may be there to answer.
---@param work fun()
---@return boolean ok, string? failure, boolean asked
local function without_questions(work)
  local asked = false
  local timer = assert(vim.uv.new_timer())
  -- The loop runs while Neovim waits for a key, and both functions are safe in it.
  timer:start(0, 10, function()
    if vim.api.nvim_get_mode().mode == 'r?' then
      asked = true
      vim.api.nvim_input('n')
    end
  end)
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local ok, failure = pcall(work)
  vim.o.confirm = confirm
  timer:close()
  if asked then
    -- Else the question would be left on the screen, with a prompt to go on.
    vim.cmd('redraw')
  end
  return ok, failure, asked
end

---@param thrown any
---@return string
local function reason(thrown)
  return (tostring(thrown):gsub('^.-Vim%(%a+%):', ''):gsub('\n.*', ''))
end

--- Writes a file as `:write` does, with its autocommands. Unchanged text is not written again.
---@param p { path: string }
---@return { kind: 'saved' }|{ kind: 'not-open' }|{ kind: 'failed', message: string }
function M.save(p)
  local buf = loaded(p.path)
  if not buf then
    return { kind = 'not-open' }
  end
  local name = vim.api.nvim_buf_get_name(buf)
  if not vim.bo[buf].modified and vim.uv.fs_stat(name) then
    return { kind = 'saved' }
  end
  local ok, failure, asked = without_questions(function()
    vim.api.nvim_buf_call(buf, function()
      vim.cmd('silent write')
    end)
  end)
  if not ok then
    return { kind = 'failed', message = reason(failure) }
  elseif asked and vim.bo[buf].modified then
    return {
      kind = 'failed',
      message = 'it has changed on disk since it was read; write or reload it in Neovim',
    }
  end
  return { kind = 'saved' }
end

return M
