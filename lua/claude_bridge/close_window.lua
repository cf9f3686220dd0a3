--- Closes a window.

--- Neovim 0.10 crashes where the last window of another tab page closes beside floating ones. They
--- go with their tab page in any case: here they go first.
---@param window integer
local function close_floats_beside(window)
  local tabpage = vim.api.nvim_win_get_tabpage(window)
  local tiled = require('claude_bridge.review.window_state').tiled(tabpage)
  if tabpage == vim.api.nvim_get_current_tabpage() or not vim.deep_equal(tiled, { window }) then
    return
  end
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(tabpage)) do
    if other ~= window then
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
