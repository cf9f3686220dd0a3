--- Syntax colours for buffers that are no files. 'filetype' is never set: language servers and
--- other plugins would attach to a name that they cannot open.
local M = {}

--- Beyond these, colours would cost more than they tell.
local MAX_BYTES = 1000000
local MAX_COLUMNS = 10000

---@param buffer integer
---@return boolean
local function is_too_large(buffer)
  local lines = vim.api.nvim_buf_line_count(buffer)
  if vim.api.nvim_buf_get_offset(buffer, lines) > MAX_BYTES then
    return true
  end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if #line > MAX_COLUMNS then
      return true
    end
  end
  return false
end

---@param review claude_bridge.Review
---@return string filetype '' where it is not known
local function filetype_of(review)
  local original = review.original
  if not original.owned and vim.bo[original.buffer].filetype ~= '' then
    return vim.bo[original.buffer].filetype
  end
  local found, filetype = pcall(vim.filetype.match, {
    filename = review.path,
    buf = review.proposal.buffer,
  })
  return found and filetype or ''
end

--- Whether the user has tree-sitter colour the file, or any file where this one is not loaded.
---@param original claude_bridge.Original
---@return boolean
local function uses_treesitter(original)
  local highlighter = vim.treesitter.highlighter
  local active = highlighter and highlighter.active or {}
  if original.owned then
    return next(active) ~= nil
  end
  return active[original.buffer] ~= nil
end

---@param buffer integer
---@param filetype string
---@param treesitter boolean
local function colour(buffer, filetype, treesitter)
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  if treesitter and pcall(vim.treesitter.start, buffer, language) then
    return
  end
  -- A broken syntax file is no reason to show no review; in a command its error can be caught.
  pcall(vim.api.nvim_buf_call, buffer, function()
    vim.cmd('setlocal syntax=' .. filetype)
  end)
end

---@param review claude_bridge.Review
function M.apply(review)
  local original, proposal = review.original, review.proposal
  local filetype = filetype_of(review)
  if filetype == '' or is_too_large(proposal.buffer) then
    return
  end
  local treesitter = uses_treesitter(original)
  colour(proposal.buffer, filetype, treesitter)
  if original.owned and not is_too_large(original.buffer) then
    colour(original.buffer, filetype, treesitter)
  end
end

return M
