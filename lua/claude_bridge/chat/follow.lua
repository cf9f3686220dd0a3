--- Readers at the end of a conversation go along with it. Of the others Neovim itself keeps the
--- place, because only lines that differ are changed.
local M = {}

local api = vim.api

--- In the current window.
---@param buffer integer
---@return boolean
local function at_end(buffer)
  local last, line = api.nvim_buf_line_count(buffer), vim.fn.line('.')
  return line == last or vim.fn.foldclosedend(line) == last
end

---@param window integer
---@return boolean whether the cursor is one end of a selection
local function selects(window)
  return window == api.nvim_get_current_win() and vim.fn.mode():match('^[vV\22sS\19]') ~= nil
end

--- The windows that are to follow, before a change.
---@param buffer integer
---@return integer[]
function M.followers(buffer)
  return vim.tbl_filter(function(window)
    -- A window that cannot be entered now (the command-line window is open) stays at the end itself.
    local ok, is_at_end = pcall(api.nvim_win_call, window, function()
      return at_end(buffer)
    end)
    return ok and is_at_end and not selects(window)
  end, vim.fn.win_findbuf(buffer))
end

local function settle()
  -- Lines that have become a fold would leave empty rows below the end.
  vim.cmd('normal! zb')
end

--- Brings them to the new end.
---@param buffer integer
---@param windows integer[]
function M.follow(buffer, windows)
  local last = api.nvim_buf_line_count(buffer)
  for _, window in ipairs(windows) do
    if api.nvim_win_is_valid(window) then
      api.nvim_win_set_cursor(window, { last, 0 })
      pcall(api.nvim_win_call, window, settle)
    end
  end
end

return M
