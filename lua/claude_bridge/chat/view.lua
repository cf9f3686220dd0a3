--- The conversation of one session in a buffer that only this module changes.
---@class claude_bridge.ChatView
---@field buffer integer
---@field items table<string, claude_bridge.ChatItem> by entry id
---@field order claude_bridge.ChatItem[] as they stand in the buffer
---@field private kept integer bytes of whole texts
---@field private refold table<claude_bridge.ChatItem, true>
local View = {}
View.__index = View

local api = vim.api
local Item = require('claude_bridge.chat.item')

--- Older entries leave the buffer above this: a flood must not fill the memory.
local MAX_LINES = 30000
--- So many lines leave at a time, to be quick.
local TRIM_LINES = 1000
--- Whole texts that are kept for |:ClaudeSessionOutput|, the newest first.
local MAX_KEPT = 32 * 1000 * 1000
local TRIMMED = '\0trimmed'

---@param session string
---@return claude_bridge.ChatView
function View.new(session)
  local buffer = require('claude_bridge.chat.buffer').create(session, 'claude_bridge_session')
  local bo = vim.bo[buffer]
  -- What the agent says need not be undone, and undo would keep all of it.
  bo.undolevels = -1
  bo.modifiable = false
  require('claude_bridge.chat.keys').conversation(buffer)
  return setmetatable({ buffer = buffer, items = {}, order = {}, kept = 0, refold = {} }, View)
end

---@return boolean
function View:is_alive()
  return api.nvim_buf_is_loaded(self.buffer)
end

---@param entry claude_bridge.ChatEntry
---@param index integer
---@param row integer 0-based
function View:add(entry, index, row)
  local item = Item.new(self.buffer, row, entry)
  self.items[entry.id] = item
  table.insert(self.order, index, item)
  self:changed(item)
end

---@param item claude_bridge.ChatItem
function View:changed(item)
  local kept = item.body and item.body:kept() or 0
  self.kept, item.kept = self.kept + kept - item.kept, kept
  if item:folds() then
    self.refold[item] = true
  end
end

--- Forgets an entry whose lines are gone.
---@param item claude_bridge.ChatItem
function View:forget(item)
  item:lift()
  self.items[item.entry.id] = nil
  self.refold[item] = nil
  self.kept = self.kept - item.kept
end

---@param item claude_bridge.ChatItem
function View:drop(item)
  item:erase()
  self:forget(item)
end

function View:clear()
  api.nvim_buf_clear_namespace(self.buffer, -1, 0, -1)
  api.nvim_buf_set_lines(self.buffer, 0, -1, true, { '' })
  self.items, self.order, self.kept, self.refold = {}, {}, 0, {}
end

---@param item claude_bridge.ChatItem
---@return integer
function View:index_of(item)
  -- The oldest entries go first; what else changes is mostly near the end.
  if self.order[1] == item then
    return 1
  end
  for index = #self.order, 1, -1 do
    if self.order[index] == item then
      return index
    end
  end
  error('an entry is not in its own conversation')
end

--- Lets the oldest entries go where there are too many lines.
function View:trim()
  local count = api.nvim_buf_line_count(self.buffer)
  if count <= MAX_LINES then
    return
  end
  local last, rows = 0, 0
  while rows < TRIM_LINES and last < #self.order - 1 do
    last = last + 1
    rows = rows + self.order[last]:height()
  end
  require('claude_bridge.chat.lines').delete(self.buffer, 0, rows)
  for index = 1, last do
    self:forget(self.order[index])
  end
  self.order = vim.list_slice(self.order, last + 1)
  local text = '… what was said before is no longer shown here'
  self:add({ id = TRIMMED, kind = 'notice', level = 'info', text = text }, 1, 0)
end

--- Lets the oldest whole texts go where they take too much memory.
function View:release()
  for _, item in ipairs(self.kept > MAX_KEPT and self.order or {}) do
    if self.kept <= MAX_KEPT / 2 then
      return
    end
    if item.body then
      item.body:forget()
      self:changed(item)
    end
  end
end

---@param ops table[]
function View:change(ops)
  local operations = require('claude_bridge.chat.operations')
  for _, op in ipairs(ops) do
    local run = operations[op.op]
    if run then
      run(self, op)
    end
  end
  self:trim()
  self:release()
end

--- Applies operations. Readers elsewhere than at the end notice nothing of it.
---@param ops table[] those on entries; others do nothing
function View:apply(ops)
  local follow = require('claude_bridge.chat.follow')
  local followers = follow.followers(self.buffer)
  vim.bo[self.buffer].modifiable = true
  local ok, problem = pcall(self.change, self, ops)
  vim.bo[self.buffer].modifiable = false
  local items = vim.tbl_keys(self.refold)
  if #items > 0 and require('claude_bridge.chat.folds').update(self.buffer, items) then
    self.refold = {}
  end
  follow.follow(self.buffer, followers)
  if not ok then
    error(problem, 0)
  end
end

---@return claude_bridge.ChatItem[] that fold
function View:folding()
  return vim.tbl_filter(function(item)
    return item:folds()
  end, self.order)
end

--- A window has come to show the conversation.
---@param window integer
function View:entered(window)
  require('claude_bridge.chat.folds').renew(window, self:folding())
end

--- A window shows something else from now on.
---@param window integer
function View:left(window)
  require('claude_bridge.chat.folds').remember(window, self:folding())
end

--- Where the next entry begins, or the one before.
---@param row integer 0-based
---@param step -1|1
---@return integer? row
function View:neighbour(row, step)
  local best
  for _, item in ipairs(self.order) do
    local at = item:row()
    if step == 1 and at > row then
      return at
    end
    best = step == -1 and at < row and at or best
  end
  return best
end

--- The entry at a line.
---@param row integer 0-based
---@return claude_bridge.ChatItem?
function View:at(row)
  for index = #self.order, 1, -1 do
    if self.order[index]:row() <= row then
      return self.order[index]
    end
  end
end

return View
