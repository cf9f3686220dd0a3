--- Tells the node side what happens in the editor.
---
--- A cursor that moves fast must cost next to nothing, so it is not followed event by event: the
--- first movement after a rest is told at once and takes the autocommands off, a timer then looks
--- every few ms, and when a look finds nothing new the timer stops and the autocommands are back.
local M = {}

--- Between two looks at the selection, ms.
local HOLD_MS = 5
--- A look that costs much is taken less often: it may use one part in so many of the time.
local COST_SHARE = 20
local MAX_HOLD_MS = 1000
--- Of pushed text. An agent shows the user and its model far less; a tool call reads it whole.
local MAX_TEXT_BYTES = 256 * 1024

---@type integer?
local group
---@type uv.uv_timer_t?
local timer
--- Of the autocommands that wait for a movement; nil while the timer looks.
---@type integer?
local armed
--- What was sent last: the region and its buffer's changedtick and name.
---@type { region: claude_bridge.Region, tick: integer, name: string }?
local sent
---@type string[]
local sent_folders = {}
---@type table<string, true>
local closed_paths = {}
---@type table<integer, true>
local diagnosed = {}
--- Work that waits for the end of this turn of the loop, by name.
---@type table<string, true>
local scheduled = {}

---@param event table
---@return boolean sent
local function notify(event)
  return require('claude_bridge.channel').notify(event)
end

---@param a { line: integer, column: integer }
---@param b { line: integer, column: integer }
---@return boolean
local function is_at(a, b)
  return a.line == b.line and a.column == b.column
end

---@param region claude_bridge.Region
---@param tick integer
---@param name string
---@return boolean
local function was_sent(region, tick, name)
  local before = sent and sent.region
  return before ~= nil
    and sent ~= nil
    and sent.tick == tick
    and sent.name == name
    and before.buf == region.buf
    and before.mode == region.mode
    and is_at(before.start, region.start)
    and is_at(before.finish, region.finish)
    and vim.deep_equal(before.block, region.block)
end

---@return boolean whether there was something new to tell
local function send_selection()
  local selection = require('claude_bridge.selection')
  local region = selection.observe()
  if not region then
    return false
  end
  if region.buf == vim.api.nvim_get_current_buf() then
    require('claude_bridge.windows').remember(vim.api.nvim_get_current_win())
  end
  local tick = vim.api.nvim_buf_get_changedtick(region.buf)
  local name = vim.api.nvim_buf_get_name(region.buf)
  if was_sent(region, tick, name) then
    return false
  end
  local event = selection.payload(region, MAX_TEXT_BYTES)
  event.kind = 'selection'
  sent = notify(event) and { region = region, tick = tick, name = name } or nil
  return sent ~= nil
end

local touch

local function arm()
  armed = armed
    or vim.api.nvim_create_autocmd(
      { 'CursorMoved', 'CursorMovedI', 'TextChanged', 'TextChangedI', 'TextChangedP' },
      { group = group, callback = touch }
    )
end

local look

--- Runs in the loop's own context, where hardly any function may be called.
local function on_timer()
  vim.schedule(look)
end

---@param is_first? boolean whether it was a movement that led here, and not the timer
look = function(is_first)
  if not timer then
    return
  end
  local began = vim.uv.hrtime()
  local ok, is_new = pcall(send_selection)
  if not ok or (not is_new and not is_first) then
    arm()
  else
    local cost = (vim.uv.hrtime() - began) / 1e6
    local hold = math.min(math.max(HOLD_MS, cost * COST_SHARE), MAX_HOLD_MS)
    timer:start(math.ceil(hold), 0, on_timer)
  end
  if not ok then
    error(is_new, 0)
  end
end

local function look_at_movement()
  look(true)
end

--- Runs at the first movement after a rest.
touch = function()
  if armed then
    vim.api.nvim_del_autocmd(armed)
    armed = nil
    vim.schedule(look_at_movement)
  end
end

--- Looks at once, also a moment after the last look.
local function look_now()
  if armed then
    touch()
  else
    vim.schedule(look_at_movement)
  end
end

local function on_mode_changed()
  local selection = require('claude_bridge.selection')
  local event = vim.v.event
  local was, is = selection.is_visual(event.old_mode), selection.is_visual(event.new_mode)
  if was and not is then
    selection.leave_visual(event.old_mode)
    -- Told at once: the user may go on to the agent's terminal and ask.
    look_now()
  elseif is then
    if not was then
      selection.enter_visual()
    end
    touch()
  end
end

--- Runs `work` once at the end of this turn of the loop, however often it is asked for.
---@param name string
---@param work fun()
local function later(name, work)
  if scheduled[name] then
    return
  end
  scheduled[name] = true
  local own = group
  vim.schedule(function()
    scheduled[name] = nil
    if own == group then
      work()
    end
  end)
end

local function send_documents()
  notify({ kind = 'documents', paths = require('claude_bridge.documents').paths() })
end

--- A buffer that was only read anew is loaded again by now.
local function send_closed()
  local paths = require('claude_bridge.paths')
  local gone = closed_paths
  closed_paths = {}
  for path in pairs(gone) do
    local buf = paths.buffer_of(path)
    if not buf or not vim.api.nvim_buf_is_loaded(buf) then
      if sent and sent.name == path then
        sent = nil
      end
      notify({ kind = 'document_closed', path = path })
    end
  end
  touch()
end

local function send_workspace()
  local folders = require('claude_bridge.workspace').folders()
  if #folders > 0 and not vim.deep_equal(folders, sent_folders) then
    sent_folders = notify({ kind = 'workspace', folders = folders }) and folders or {}
  end
end

local function send_diagnosed()
  local is_real_file = require('claude_bridge.paths').is_real_file
  local paths = {}
  for buf in pairs(diagnosed) do
    if is_real_file(buf) then
      table.insert(paths, vim.api.nvim_buf_get_name(buf))
    end
  end
  diagnosed = {}
  if #paths > 0 then
    notify({ kind = 'diagnostics_changed', paths = paths })
  end
end

---@param args { buf: integer }
local function on_gone(args)
  if require('claude_bridge.paths').is_real_file(args.buf) then
    closed_paths[vim.api.nvim_buf_get_name(args.buf)] = true
    later('closed', send_closed)
    later('documents', send_documents)
  end
end

local function on_documents()
  later('documents', send_documents)
end

local function on_workspace()
  later('workspace', send_workspace)
end

---@param args { buf: integer }
local function on_diagnostics(args)
  diagnosed[args.buf] = true
  later('diagnostics', send_diagnosed)
end

local function on_directory()
  require('claude_bridge.workspace').remember_typed(vim.v.event.directory)
end

---@param events string[]
---@param callback fun(args: table)
---@param pattern? string
local function on(events, callback, pattern)
  require('claude_bridge.autocmd').create(
    events,
    { group = group, callback = callback, pattern = pattern }
  )
end

--- Begins to tell, with the present state first.
function M.start()
  M.stop()
  group = vim.api.nvim_create_augroup('ClaudeBridgeEvents', { clear = true })
  timer = assert(vim.uv.new_timer())
  on({ 'BufEnter', 'WinEnter' }, touch)
  on({ 'ModeChanged' }, on_mode_changed)
  on({ 'BufDelete', 'BufUnload', 'BufWipeout', 'BufFilePre' }, on_gone)
  on({ 'BufAdd', 'BufReadPost', 'BufNewFile', 'BufFilePost' }, on_documents)
  on({ 'BufFilePost' }, touch)
  on({ 'DirChangedPre' }, on_directory)
  on({ 'DirChanged', 'LspAttach', 'LspDetach' }, on_workspace)
  on({ 'DiagnosticChanged' }, on_diagnostics)
  send_workspace()
  send_documents()
  look(true)
end

--- Tells the present selection once more: the node side has dropped it.
function M.tell_again()
  if timer then
    sent = nil
    touch()
  end
end

--- Stops telling. Nothing of what was told is remembered.
function M.stop()
  if group then
    vim.api.nvim_del_augroup_by_id(group)
    group = nil
  end
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
  armed, sent, sent_folders = nil, nil, {}
  closed_paths, diagnosed, scheduled = {}, {}, {}
  require('claude_bridge.selection').reset()
end

return M
