--- Keys in the buffers of a session. Each leads to a `<Plug>` map, unless the user has one for it.
local M = {}

---@class claude_bridge.ChatKey
---@field [1] string|string[] modes
---@field [2] string key
---@field [3] string name of the `<Plug>` map

---@type table<string, claude_bridge.ChatKey[]>
local KEYS = {
  compose = {
    { 'n', '<CR>', 'ClaudeSessionSend' },
    { { 'n', 'i' }, '<C-s>', 'ClaudeSessionSend' },
    { 'n', '<C-p>', 'ClaudeSessionOlder' },
    { 'n', '<C-n>', 'ClaudeSessionNewer' },
    { 'n', '<C-c>', 'ClaudeSessionCancel' },
    { 'n', 'ga', 'ClaudeSessionAnswer' },
  },
  conversation = {
    { 'n', '<Tab>', 'ClaudeSessionFold' },
    { 'n', 'gO', 'ClaudeSessionOutput' },
    { 'n', ']]', 'ClaudeSessionNext' },
    { 'n', '[[', 'ClaudeSessionPrevious' },
    { 'n', '<C-c>', 'ClaudeSessionCancel' },
    { 'n', 'ga', 'ClaudeSessionAnswer' },
    { 'n', 'i', 'ClaudeSession' },
  },
}

---@param buffer integer
---@param key claude_bridge.ChatKey
---@param mode string
local function map_one(buffer, key, mode)
  local plug = ('<Plug>(%s)'):format(key[3])
  local is_mapped = vim.api.nvim_buf_call(buffer, function()
    return vim.fn.hasmapto(plug, mode) == 1
  end)
  if not is_mapped then
    vim.keymap.set(mode, key[2], plug, { buffer = buffer, remap = true, desc = key[3] })
  end
end

---@param buffer integer
---@param keys claude_bridge.ChatKey[]
local function map(buffer, keys)
  for _, key in ipairs(keys) do
    local modes = key[1]
    for _, mode in ipairs(type(modes) == 'table' and modes or { modes }) do
      map_one(buffer, key, mode)
    end
  end
end

---@param buffer integer
local function watch(buffer)
  vim.api.nvim_create_autocmd({ 'BufWinEnter', 'BufEnter' }, {
    buffer = buffer,
    callback = function(args)
      local name = vim.b[buffer].claude_bridge_session
      local session = name and require('claude_bridge.chat.sessions').get(name)
      if session and args.event == 'BufEnter' then
        require('claude_bridge.chat.sessions').touch(session)
      elseif session then
        require('claude_bridge.chat.windows').entered(session, args.buf)
      end
    end,
  })
end

---@param buffer integer
function M.compose(buffer)
  vim.bo[buffer].omnifunc = "v:lua.require'claude_bridge.chat.complete'.func"
  vim.bo[buffer].completefunc = "v:lua.require'claude_bridge.chat.complete'.func"
  map(buffer, KEYS.compose)
  watch(buffer)
end

---@param buffer integer
function M.conversation(buffer)
  map(buffer, KEYS.conversation)
  watch(buffer)
  vim.api.nvim_create_autocmd('BufWinLeave', {
    buffer = buffer,
    callback = function()
      local name = vim.b[buffer].claude_bridge_session
      local session = name and require('claude_bridge.chat.sessions').get(name)
      if session and session.view then
        session.view:left(vim.api.nvim_get_current_win())
      end
    end,
  })
end

return M
