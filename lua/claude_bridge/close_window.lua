--- Closes a window.

---@param window integer
---@return boolean
local function floats(window)
  return vim.api.nvim_win_get_config(window).relative ~= ''
end

--- Neovim 0.10 crashes where the last window of another tab page closes beside floating ones. They
--- go with their tab page in any case: here they go first.
---@param window integer
local function close_floats_beside(window)
  local tabpage = vim.api.nvim_win_get_tabpage(window)
  if floats(window) or tabpage == vim.api.nvim_get_current_tabpage() then
    return
  end
  local others = vim.tbl_filter(function(other)
    return other ~= window
  end, vim.api.nvim_tabpage_list_wins(tabpage))
  if vim.iter(others):all(floats) then
    for _, other in ipairs(others) do
      pcall(vim.api.nvim_win_close, other, true)
    end
  end
end

--- Closes a window; a buffer with unsaved text stays, hidden.
---@param window integer
return function(window)
  close_floats_beside(window)
  vim.api.nvim_win_close(window, true)
end
