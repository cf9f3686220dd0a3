--- The left side of a review: the file as it is, in its own buffer if one is loaded.
local M = {}

---@class claude_bridge.Original
---@field buffer integer
---@field owned boolean made for the review, and wiped with it
---@field note? string what the user should know of this side
---@field unloaded? claude_bridge.ViewText the text as it was when the buffer was unloaded
---@field compared? claude_bridge.ComparedText
---@field takes_dos boolean a proposal with CR LF may be shown without its CRs

--- Fills a scratch buffer by Neovim's own reading, so that encoding, byte order mark and line ends
--- are found as for any file.
---@param buffer integer
---@param path string
local function read_into(buffer, path)
  -- With "a" in 'cpoptions' reading would leave a buffer named like the file behind.
  local cpoptions = vim.o.cpoptions
  vim.o.cpoptions = cpoptions:gsub('[aA]', '')
  -- A line break cannot be escaped in a command.
  local alias = path:find('\n') and vim.fn.tempname() or nil
  if alias then
    assert(vim.uv.fs_symlink(path, alias))
  end
  local done, message = pcall(vim.api.nvim_buf_call, buffer, function()
    vim.cmd(
      'silent noautocmd noswapfile keepalt keepjumps 0read ++edit '
        .. vim.fn.fnameescape(alias or path)
    )
  end)
  vim.o.cpoptions = cpoptions
  if alias then
    vim.uv.fs_unlink(alias)
  end
  if not done then
    error(message, 0)
  end
  -- Reading puts the file above the one empty line that a new buffer has.
  if vim.api.nvim_buf_line_count(buffer) > 1 then
    vim.api.nvim_buf_set_lines(buffer, -2, -1, false, {})
  end
end

---@param buffer integer
---@param path string
---@return string? note
local function fill(buffer, path)
  local stat, why, code = vim.uv.fs_stat(path)
  if not stat then
    local missing = code == 'ENOENT' or code == 'ENOTDIR'
    return missing and 'new file' or 'cannot be read: ' .. why
  end
  if stat.type ~= 'file' then
    return 'cannot be read: it is a ' .. stat.type
  end
  local done, message = pcall(read_into, buffer, path)
  if not done then
    return 'cannot be read: ' .. (tostring(message):match('E%d+:.*') or tostring(message))
  end
end

---@param path string
---@param id string of the review
---@return claude_bridge.Original
local function scratch(path, id)
  local buffer = vim.api.nvim_create_buf(false, true)
  local options = vim.bo[buffer]
  options.undolevels = -1
  local note = fill(buffer, path)
  local name = vim.fs.basename(path):gsub('%c', '?')
  vim.api.nvim_buf_set_name(buffer, ('claudebridge://%s/original/%s'):format(id, name))
  options.modifiable = false
  return {
    buffer = buffer,
    owned = true,
    note = note,
    takes_dos = note ~= nil or options.fileformat == 'dos',
  }
end

--- Reads a file again into the buffer of `on_disk`.
---@param buffer integer
---@param path string
function M.refill(buffer, path)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, {})
  fill(buffer, path)
  vim.bo[buffer].modifiable = false
end

local shown = 0

--- The text of a file on disk in a buffer of its own.
---@param path string absolute
---@return claude_bridge.Original
function M.on_disk(path)
  shown = shown + 1
  return scratch(path, 'disk-' .. shown)
end

--- Finds or makes the left side.
---@param path string absolute
---@param id string of the review
---@return claude_bridge.Original
function M.of(path, id)
  local buffer = require('claude_bridge.paths').buffer_of(path)
  if not buffer or not vim.api.nvim_buf_is_loaded(buffer) then
    return scratch(path, id)
  end
  local options = vim.bo[buffer]
  local is_empty = vim.api.nvim_buf_line_count(buffer) == 1
    and vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == ''
  return {
    buffer = buffer,
    owned = false,
    note = options.modified and 'unsaved' or nil,
    takes_dos = options.fileformat == 'dos' or is_empty,
  }
end

return M
