--- The left side of a review: the file as it is, in its own buffer if one is loaded.
local M = {}

---@class claude_bridge.Original
---@field buffer integer
---@field owned boolean made for the review, and wiped with it
---@field note? string what the user should know of this side
---@field unloaded? claude_bridge.ViewText the text as it was when the buffer was unloaded
---@field compared? claude_bridge.ComparedText
---@field format? 'unix'|'dos'|'mac' which line ends the file has; nil where it has none yet

--- Fills a scratch buffer by Neovim's own reading, so that encoding, byte order mark and line ends
--- are found as for any file.
---@param buffer integer
---@param path string
local function read_into(buffer, path)
  -- With "a" in 'cpoptions' reading would leave a buffer named like the file behind.
  local cpoptions, fileformats = vim.o.cpoptions, vim.o.fileformats
  vim.o.cpoptions = cpoptions:gsub('[aA]', '')
  -- With "dos" alone a line end that lacks its CR would look like any other.
  vim.o.fileformats = 'unix,dos' .. (fileformats:find('mac') and ',mac' or '')
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
  vim.o.cpoptions, vim.o.fileformats = cpoptions, fileformats
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

---@param buffer integer
---@return 'unix'|'dos'|'mac'?
local function format_of(buffer)
  local is_empty = require('claude_bridge.review.proposal').is_empty(buffer)
  return not is_empty and vim.bo[buffer].fileformat or nil
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
    format = format_of(buffer),
  }
end

--- The same text in a buffer of its own, with what its line ends hide.
---@param original claude_bridge.Original
---@param id string of the review
---@return claude_bridge.Original
function M.with_line_ends(original, id)
  local name = vim.api.nvim_buf_get_name(original.buffer)
  local text = require('claude_bridge.review.line_ends').shown(
    require('claude_bridge.review.proposal').read(original.buffer)
  )
  local buffer = original.buffer
  if not original.owned then
    buffer = vim.api.nvim_create_buf(false, true)
    local base = vim.fs.basename(name):gsub('%c', '?')
    vim.api.nvim_buf_set_name(buffer, ('claudebridge://%s/original/%s'):format(id, base))
  end
  local options = vim.bo[buffer]
  options.undolevels = -1
  options.modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, text.lines)
  options.fileformat, options.endofline, options.bomb = text.format, text.eol, text.bom
  options.modifiable = false
  return { buffer = buffer, owned = true, note = original.note, format = text.format }
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
  return {
    buffer = buffer,
    owned = false,
    note = vim.bo[buffer].modified and 'unsaved' or nil,
    format = format_of(buffer),
  }
end

return M
