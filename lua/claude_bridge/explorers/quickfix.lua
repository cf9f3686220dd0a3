--- The quickfix list and location lists: files with the lines of their entries.
---@type claude_bridge.Explorer
local M = {}

---@param row integer 1-based
---@return vim.quickfix.entry?
local function item_at(row)
  local window = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  local what = { idx = row, items = 1 }
  local list = window.loclist == 1 and vim.fn.getloclist(0, what) or vim.fn.getqflist(what)
  return list.items[1]
end

function M.at(row)
  local item = item_at(row)
  if not item or item.bufnr == 0 then
    return nil
  end
  local path = vim.api.nvim_buf_get_name(item.bufnr)
  if item.lnum == 0 then
    return { path = path }
  end
  return { path = path, first = item.lnum - 1, last = math.max(item.lnum, item.end_lnum) - 1 }
end

return M
