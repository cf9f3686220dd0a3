--- Which window is the user's for files, among terminals, sidebars, floats and diffs.
local M = {}

--- The file window that was active last.
---@type integer?
local remembered

--- To be called when a window that shows a file is the active one.
---@param win integer
function M.remember(win)
  remembered = win
end

---@param win integer
---@return boolean
local function shows_file(win)
  return require('claude_bridge.paths').is_real_file(vim.api.nvim_win_get_buf(win))
end

--- Windows of this tabpage, the most likely one first.
---@return integer[]
local function candidates()
  local wins = { vim.api.nvim_get_current_win() }
  local here = vim.api.nvim_tabpage_list_wins(0)
  if remembered and vim.tbl_contains(here, remembered) then
    table.insert(wins, remembered)
  end
  local previous = vim.fn.winnr('#')
  if previous > 0 then
    table.insert(wins, vim.fn.win_getid(previous))
  end
  return vim.list_extend(wins, here)
end

--- The active file: the current window's, or the last one's while a terminal or a list has focus.
---@return integer? win
function M.active_file()
  for _, win in ipairs(candidates()) do
    if shows_file(win) then
      return win
    end
  end
end

---@param win integer
---@return boolean
local function is_floating(win)
  return vim.api.nvim_win_get_config(win).relative ~= ''
end

--- Whether leaving the buffer would need the user's word about unsaved text.
---@param win integer
---@return boolean
local function holds_back(win)
  local buf = vim.api.nvim_win_get_buf(win)
  local bo = vim.bo[buf]
  return bo.modified
    and not vim.o.hidden
    and bo.bufhidden ~= 'hide'
    and #vim.fn.win_findbuf(buf) == 1
end

--- Whether another file may be shown here.
---@param win integer
---@return boolean
local function takes_files(win)
  local wo = vim.wo[win]
  return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
    and not is_floating(win)
    and not wo.previewwindow
    and not wo.winfixbuf
    and not wo.diff
    and not holds_back(win)
end

--- Shows a buffer in the user's window for files, or in a new one where there is none.
---@param buf integer
---@param keep_current? boolean whether the current window must go on to show what it does
---@return integer win
function M.show(buf, keep_current)
  local here = vim.api.nvim_get_current_win()
  local wins = vim.tbl_filter(function(win)
    return not keep_current or win ~= here
  end, candidates())
  for _, win in ipairs(wins) do
    if vim.api.nvim_win_get_buf(win) == buf and not vim.wo[win].diff and not is_floating(win) then
      return win
    end
  end
  for _, win in ipairs(wins) do
    if takes_files(win) then
      vim.api.nvim_win_set_buf(win, buf)
      return win
    end
  end
  return vim.api.nvim_open_win(buf, false, {
    split = 'left',
    win = is_floating(here) and -1 or here,
  })
end

return M
