--- Files that are named in a text by `@path`.
local M = {}

--- What a path may be followed by where it ends a clause.
local PUNCTUATION = '[.,;:!?)]+$'

---@param path string
---@return string? absolute
local function existing(path)
  local absolute = vim.fn.fnamemodify(vim.fs.normalize(path), ':p')
  return vim.uv.fs_stat(absolute) and (absolute:gsub('(.)/$', '%1')) or nil
end

---@param word string without the `@`
---@return { path: string, first?: integer, last?: integer }?
local function file_of(word)
  local path, first, last = word:match('^(.-):(%d+)%-(%d+)$')
  if not path then
    path, first = word:match('^(.-):(%d+)$')
    last = first
  end
  local absolute = path and existing(path)
  if absolute and tonumber(first) > 0 and tonumber(first) <= tonumber(last) then
    return { path = absolute, first = tonumber(first) - 1, last = tonumber(last) - 1 }
  end
  absolute = existing(word)
  return absolute and { path = absolute }
end

--- The files that a text names and that exist. Lines follow by `:3` or `:3-10`, from 1.
---@param text string
---@param known { path: string }[] need not be found again
---@return { path: string, first?: integer, last?: integer }[] lines 0-based
function M.files(text, known)
  local seen, found = {}, {}
  for _, file in ipairs(known) do
    seen[vim.inspect(file)] = true
  end
  for word in (' ' .. text):gmatch('%s@([^%s]+)') do
    local file = file_of(word) or file_of((word:gsub(PUNCTUATION, '')))
    if file and not seen[vim.inspect(file)] then
      seen[vim.inspect(file)] = true
      found[#found + 1] = file
    end
  end
  return found
end

return M
