--- Modelines of a file that an agent loads in the background: they wait until the user looks at it.
local M = {}

---@param buf integer
local function run(buf)
  vim.bo[buf].modeline = true
  -- There is no command for them; they follow any autocommand that is asked for with them.
  local done = vim.api.nvim_create_augroup('ClaudeBridgeModeline', { clear = true })
  require('claude_bridge.autocmd').create('User', {
    group = done,
    pattern = 'ClaudeBridgeModeline',
    callback = function() end,
  })
  vim.api.nvim_exec_autocmds('User', { pattern = 'ClaudeBridgeModeline', modeline = true })
  vim.api.nvim_del_augroup_by_id(done)
end

---@param buf integer
local function run_when_seen(buf)
  require('claude_bridge.autocmd').create('BufWinEnter', {
    buffer = buf,
    once = true,
    callback = function()
      vim.api.nvim_buf_call(buf, function()
        run(buf)
      end)
    end,
  })
end

--- Loads a buffer without its modelines.
---@param buf integer
---@param load fun() raises no error
function M.hold(buf, load)
  local is_on = vim.go.modeline
  if not is_on then
    load()
    return
  end
  -- A buffer that was never entered takes its options from the global ones when it is loaded.
  vim.go.modeline, vim.bo[buf].modeline = false, false
  load()
  vim.go.modeline = true
  if vim.api.nvim_buf_is_loaded(buf) then
    run_when_seen(buf)
  end
end

return M
