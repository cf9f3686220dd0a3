--- Files and their buffers. Names are compared exactly: a file may be called `[id].ts` or `$x`.
local M = {}

---@param name string
---@return boolean
local function is_absolute(name)
  return name:sub(1, 1) == '/' or name:find('^%a:[/\\]') ~= nil
end

--- Whether the name is a path of this machine, and not of another or of a plugin's own: no
--- `scheme://`.
---@param name string
---@return boolean
function M.is_local(name)
  return is_absolute(name) and not name:find('^%a[%w+.-]+://')
end

--- Whether the name is a file's, which need not exist yet.
---@param name string
---@return boolean
function M.is_file_name(name)
  if not M.is_local(name) then
    return false
  end
  local stat = vim.uv.fs_stat(name)
  return not stat or stat.type ~= 'directory'
end

--- Whether the buffer shows a file of this machine, and not a terminal, a list or a plugin's view.
---@param buf integer
---@return boolean
function M.is_real_file(buf)
  if
    not vim.api.nvim_buf_is_valid(buf)
    or vim.api.nvim_get_option_value('buftype', { buf = buf }) ~= ''
  then
    return false
  end
  local name = vim.api.nvim_buf_get_name(buf)
  -- Only an empty buffer may be a folder's; the disk need not be asked about the others.
  return vim.api.nvim_buf_line_count(buf) > 1 and M.is_local(name) or M.is_file_name(name)
end

--- The buffer of exactly this file, known by this name or by another (a link, a linked folder).
---@param path string absolute
---@return integer? buf
function M.buffer_of(path)
  -- Unlike bufnr() these take no pattern, and they compare inodes. bufadd() would make a buffer.
  for _, name in ipairs({ path, M.real_path(path) }) do
    if vim.fn.bufexists(name) == 1 then
      local buf = vim.fn.bufadd(name)
      return M.is_real_file(buf) and buf or nil
    end
  end
end

--- Follows links. For a file that does not exist yet, those of its folder.
---@param path string absolute
---@return string
function M.real_path(path)
  local real = vim.uv.fs_realpath(path)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(path))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(path)) or path
end

--- Makes a name that a person typed absolute. Only a leading `~/` means something else than itself.
---@param name string
---@return string
function M.absolute(name)
  local home = vim.uv.os_homedir()
  if home and (name == '~' or name:sub(1, 2) == '~/') then
    name = home .. name:sub(2)
  elseif not is_absolute(name) then
    name = vim.fn.getcwd() .. '/' .. name
  end
  return vim.fs.normalize(name, { expand_env = false })
end

return M
