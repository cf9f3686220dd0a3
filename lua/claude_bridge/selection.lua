--- What is selected, also after visual mode was left and while a terminal has the focus.
local M = {}

---@class claude_bridge.HeldSelection
---@field region claude_bridge.Region
---@field tick integer changedtick of the buffer
---@field win integer
---@field cursor integer[] 1-based line, 0-based byte column

--- The selection that visual mode left behind, valid until its cursor moves or its text changes.
---@type claude_bridge.HeldSelection?
local held
--- The changedtick of the buffer when visual mode last had it as it is.
---@type integer?
local visual_tick

local VISUAL = { v = true, V = true, ['\22'] = true, s = true, S = true, ['\19'] = true }

---@param mode string as of nvim_get_mode()
---@return boolean
function M.is_visual(mode)
  return VISUAL[mode:sub(1, 1)] == true
end

---@param buf integer
---@return integer
local function tick_of(buf)
  return vim.api.nvim_buf_get_changedtick(buf)
end

--- To be called when visual mode begins.
function M.enter_visual()
  local buf = vim.api.nvim_get_current_buf()
  visual_tick = tick_of(buf)
  if require('claude_bridge.paths').is_real_file(buf) then
    held = nil
  end
end

--- To be called when visual mode ends, at once: the next key may move the cursor.
---@param mode string the mode that was left
function M.leave_visual(mode)
  local buf = vim.api.nvim_get_current_buf()
  local unchanged = visual_tick == tick_of(buf)
  visual_tick = nil
  -- An operator that changed the text used the selection up.
  if not unchanged or not require('claude_bridge.paths').is_real_file(buf) then
    return
  end
  local first, last = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if first[2] == 0 or last[2] == 0 then
    return
  end
  local region = require('claude_bridge.region')
  held = {
    region = region.keep_text(region.between(mode, first, last)),
    tick = tick_of(buf),
    win = vim.api.nvim_get_current_win(),
    cursor = vim.api.nvim_win_get_cursor(0),
  }
end

--- Forgets what visual mode left behind.
function M.reset()
  held, visual_tick = nil, nil
end

---@return claude_bridge.HeldSelection? held where its text still stands
local function standing()
  if held then
    local buf = held.region.buf
    if not vim.api.nvim_buf_is_loaded(buf) or tick_of(buf) ~= held.tick then
      held = nil
    end
  end
  return held
end

--- What is selected in the current window, which shows a file.
---@param buf integer the current buffer
---@return claude_bridge.Region
local function in_file(buf)
  local region = require('claude_bridge.region')
  local mode = vim.api.nvim_get_mode().mode
  if M.is_visual(mode) then
    visual_tick = tick_of(buf)
    return region.between(mode, vim.fn.getpos('v'), vim.fn.getpos('.'))
  end
  local kept = standing()
  if kept and kept.region.buf == buf then
    local win, cursor = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0)
    if kept.win ~= win then
      -- Another window of the same file has a cursor of its own, which has not moved yet.
      kept.win, kept.cursor = win, cursor
    end
    if kept.cursor[1] == cursor[1] and kept.cursor[2] == cursor[2] then
      return kept.region
    end
  end
  held = nil
  return region.at_cursor()
end

--- The selection as it stands. Where the active window shows no file: what visual mode left in
--- one, else nil, which means that what was told last stays true.
---@return claude_bridge.Region?
function M.observe()
  local buf = vim.api.nvim_get_current_buf()
  if require('claude_bridge.paths').is_real_file(buf) then
    return in_file(buf)
  end
  local kept = standing()
  return kept and kept.region
end

--- A selection for the node side.
---@param observed claude_bridge.Region
---@param limit? integer bytes of text, about; the range is always whole
---@return { path: string, text: string, start: table, finish: table }
function M.payload(observed, limit)
  local region = require('claude_bridge.region')
  local buf, start, finish = observed.buf, observed.start, observed.finish
  return {
    path = vim.api.nvim_buf_get_name(buf),
    text = region.text(observed, limit),
    start = region.position(buf, start.line, start.column),
    finish = region.position(buf, finish.line, finish.column),
  }
end

--- The selection of the active window, its text whole; nil where that shows no file.
---@return table?
function M.current()
  local buf = vim.api.nvim_get_current_buf()
  if require('claude_bridge.paths').is_real_file(buf) then
    return M.payload(in_file(buf))
  end
end

return M
