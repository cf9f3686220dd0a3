--- Keys in the buffers of a session. Each leads to a `<Plug>` map, unless the user has one for it.
local M = {}

---@class claude_bridge.ChatKey
---@field [1] string|string[] modes
---@field [2] string key
---@field [3] string name of the `<Plug>` map

---@type table<string, claude_bridge.ChatKey[]>
M.KEYS = {
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

--- The keys that the user has no map of their own for.
---@param buffer integer
---@param keys claude_bridge.ChatKey[]
---@return { mode: string, key: string, plug: string }[]
local function wanted(buffer, keys)
  local found = {}
  for _, key in ipairs(keys) do
    local plug, modes = ('<Plug>(%s)'):format(key[3]), key[1]
    for _, mode in ipairs(type(modes) == 'table' and modes or { modes }) do
      local is_mapped = vim.api.nvim_buf_call(buffer, function()
        return vim.fn.hasmapto(plug, mode) == 1
      end)
      if not is_mapped then
        found[#found + 1] = { mode = mode, key = key[2], plug = plug }
      end
    end
  end
  return found
end

---@param buffer integer
---@param keys claude_bridge.ChatKey[]
local function map(buffer, keys)
  for _, one in ipairs(wanted(buffer, keys)) do
    vim.keymap.set(one.mode, one.key, one.plug, { buffer = buffer, remap = true })
  end
end

---@param buffer integer
local function watch(buffer)
  require('claude_bridge.autocmd').create({ 'BufWinEnter', 'BufEnter' }, {
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
  map(buffer, M.KEYS.compose)
  watch(buffer)
end

---@param buffer integer
function M.conversation(buffer)
  map(buffer, M.KEYS.conversation)
  watch(buffer)
  local resized = require('claude_bridge.autocmd').create('VimResized', {
    callback = function()
      require('claude_bridge.chat.windows').refit(buffer)
    end,
  })
  require('claude_bridge.autocmd').create('BufWipeout', {
    buffer = buffer,
    callback = function()
      vim.api.nvim_del_autocmd(resized)
    end,
  })
  require('claude_bridge.autocmd').create('BufWinLeave', {
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
