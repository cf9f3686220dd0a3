--- Where the reader of a conversation is. At the end, the window follows; elsewhere, what is on the
--- screen stays there.
local M = {}

local api = vim.api
local PLACES = api.nvim_create_namespace('claude_bridge_session_places')

---@class claude_bridge.ChatPlace
---@field window integer
---@field follows boolean
---@field top? integer mark at the first line on the screen
---@field view? table

---@param buffer integer
---@return boolean
local function at_end(buffer)
  local last, line = api.nvim_buf_line_count(buffer), vim.fn.line('.')
  return line == last or vim.fn.foldclosedend(line) == last
end

---@param buffer integer
---@param window integer
---@return claude_bridge.ChatPlace
local function place_in(buffer, window)
  return api.nvim_win_call(window, function()
    if at_end(buffer) then
      return { window = window, follows = true }
    end
    local view = vim.fn.winsaveview()
    local top = api.nvim_buf_set_extmark(buffer, PLACES, view.topline - 1, 0, {})
    return { window = window, follows = false, top = top, view = view }
  end)
end

--- Notes where all readers are, before a change.
---@param buffer integer
---@return claude_bridge.ChatPlace[]
function M.note(buffer)
  local places = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local ok, place = pcall(place_in, buffer, window)
    -- A window that cannot be entered now (the command-line window is open) keeps its place itself.
    places[#places + 1] = ok and place or nil
  end
  return places
end

local function to_end(buffer)
  local visual = vim.fn.mode():match('[vV\22sS\19]')
  if visual and api.nvim_get_current_buf() == buffer then
    return
  end
  api.nvim_win_set_cursor(0, { api.nvim_buf_line_count(buffer), 0 })
  vim.cmd('normal! zb')
end

---@param buffer integer
---@param place claude_bridge.ChatPlace
local function stay(buffer, place)
  local top = api.nvim_buf_get_extmark_by_id(buffer, PLACES, place.top, {})[1]
  local view = vim.fn.winsaveview()
  if top and view.topline ~= top + 1 then
    view.topline = top + 1
    vim.fn.winrestview(view)
  end
end

--- Brings all readers back to where they were, or to the new end.
---@param buffer integer
---@param places claude_bridge.ChatPlace[]
function M.restore(buffer, places)
  for _, place in ipairs(places) do
    if api.nvim_win_is_valid(place.window) then
      pcall(api.nvim_win_call, place.window, function()
        if place.follows then
          to_end(buffer)
        else
          stay(buffer, place)
        end
      end)
    end
  end
  api.nvim_buf_clear_namespace(buffer, PLACES, 0, -1)
end

return M
