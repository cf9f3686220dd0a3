--- What windows in diff mode have in common, be it a review or a comparison with the disk.
local M = {}

--- Text of others in a 'winbar'.
---@param text string
---@return string
function M.literal(text)
  return (text:gsub('%c', '?'):gsub('%%', '%%%%'))
end

--- Puts the cursor of the current window on the first change.
function M.go_to_first_change()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if vim.fn.diff_hlID(1, 1) == 0 and vim.fn.diff_filler(1) == 0 then
    vim.cmd('silent! keepjumps normal! ]c')
  end
end

return M
