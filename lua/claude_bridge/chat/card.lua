--- The small window in which something is asked. It never takes the focus by itself.
local M = {}

local api = vim.api

---@class claude_bridge.ChatCard
---@field buffer integer
---@field window integer
---@field since integer when it got the focus without being asked to, ms of the event loop

local MARKS = api.nvim_create_namespace('claude_bridge_session_card')
local MIN_WIDTH, MAX_WIDTH = 40, 100
--- A key that comes sooner was meant for the window before.
M.GRACE_MS = 300

---@param content claude_bridge.ChatCardContent
---@return integer width, integer height
local function size(content)
  local block = content.block
  local width = math.max(MIN_WIDTH, vim.fn.strdisplaywidth(content.footer) + 2)
  for _, line in ipairs(block.lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line) + 1)
  end
  width = math.max(1, math.min(width, MAX_WIDTH, vim.o.columns - 4))
  if content.narrow and content.window then
    width = math.min(width, math.max(MIN_WIDTH, api.nvim_win_get_width(content.window) - 2))
  end
  local height = 0
  for _, line in ipairs(block.lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  local room = math.floor((vim.o.lines - vim.o.cmdheight) * 0.6)
  return width, math.max(1, math.min(height, room))
end

---@class claude_bridge.ChatCardContent
---@field block claude_bridge.ChatBlock
---@field title string
---@field footer string
---@field window? integer the conversation
---@field narrow boolean whether it is to stay over the conversation

--- Below the last words of the conversation where there is room: they are what it is about. At the
--- top otherwise, over the oldest words on the screen.
---@param window integer?
---@param height integer
---@return 'NE'|'SE' anchor, integer row
local function anchor(window, height)
  if window then
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(window))
    local said = vim.fn.screenpos(window, last, 1).row
    local bottom = api.nvim_win_get_position(window)[1] + api.nvim_win_get_height(window)
    if said > 0 and bottom - said >= height + 2 then
      return 'SE', bottom
    end
  end
  return 'NE', 1
end

---@param content claude_bridge.ChatCardContent
---@return vim.api.keyset.win_config
local function geometry(content)
  local width, height = size(content)
  local side, row = anchor(content.window, height)
  return {
    relative = 'editor',
    anchor = side,
    row = row,
    col = vim.o.columns,
    width = width,
    height = height,
    border = 'rounded',
    title = ' ' .. content.title .. ' ',
    footer = ' ' .. content.footer .. ' ',
    footer_pos = 'right',
  }
end

---@param buffer integer
---@param block claude_bridge.ChatBlock
local function fill(buffer, block)
  local lines = require('claude_bridge.chat.lines')
  vim.bo[buffer].modifiable = true
  lines.set(buffer, 0, api.nvim_buf_line_count(buffer), block.lines)
  vim.bo[buffer].modifiable = false
  lines.paint(buffer, 0, #block.lines, block.spans, MARKS)
end

--- Shows a card in this tab page, without the focus.
---@param content claude_bridge.ChatCardContent
---@return claude_bridge.ChatCard
function M.open(content)
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'claude_bridge_ask'
  fill(buffer, content.block)
  local config = geometry(content)
  config.style = 'minimal'
  config.zindex = 60
  local ok, window = pcall(api.nvim_open_win, buffer, false, config)
  if not ok then
    api.nvim_buf_delete(buffer, { force = true })
    error(window, 0)
  end
  vim.wo[window][0].wrap = true
  return { buffer = buffer, window = window, since = 0 }
end

---@param card claude_bridge.ChatCard
---@param content claude_bridge.ChatCardContent
function M.update(card, content)
  fill(card.buffer, content.block)
  api.nvim_win_set_config(card.window, geometry(content))
end

--- Changes what stands in the border; the rest, which may be scrolled, is left alone.
---@param card claude_bridge.ChatCard
---@param content claude_bridge.ChatCardContent
function M.retitle(card, content)
  api.nvim_win_set_config(card.window, geometry(content))
end

---@param card claude_bridge.ChatCard
---@return boolean
function M.is_here(card)
  return api.nvim_win_is_valid(card.window)
    and api.nvim_win_get_tabpage(card.window) == api.nvim_get_current_tabpage()
end

---@param card claude_bridge.ChatCard
---@return boolean
function M.has_focus(card)
  return api.nvim_get_current_win() == card.window
end

---@param card claude_bridge.ChatCard
---@param asked boolean whether the user has asked for it
function M.focus(card, asked)
  api.nvim_set_current_win(card.window)
  card.since = asked and 0 or vim.uv.now()
end

---@param card claude_bridge.ChatCard
function M.close(card)
  if api.nvim_win_is_valid(card.window) then
    api.nvim_win_close(card.window, true)
  elseif api.nvim_buf_is_valid(card.buffer) then
    api.nvim_buf_delete(card.buffer, { force = true })
  end
end

--- Sets a key that acts in the card alone, and not before the user can have seen the card.
---@param card claude_bridge.ChatCard
---@param key string
---@param run fun()
function M.map(card, key, run)
  vim.keymap.set('n', key, function()
    vim.uv.update_time()
    if vim.uv.now() - card.since >= M.GRACE_MS then
      require('claude_bridge.ui').guard(run)
    end
  end, { buffer = card.buffer, nowait = true })
end

return M
