--- The log file, which the node side writes.
local M = {}

---@return string absolute path
function M.path()
  local wished = require('claude_bridge.config').get().log.path
  if wished then
    return vim.fn.fnamemodify(vim.fs.normalize(wished), ':p')
  end
  return vim.fs.joinpath(vim.fn.stdpath('log') --[[@as string]], 'claude-bridge.log')
end

--- Opens the log at its end. `:edit` reads it again.
function M.open()
  local path = M.path()
  if not vim.uv.fs_stat(path) then
    require('claude_bridge.ui').notify({
      level = 'info',
      message = ('there is no log yet; it will be %s'):format(path),
    })
    return
  end
  local buffer = vim.fn.bufadd(path)
  -- Before it is shown: as no file of the user's project, agents are not told of it.
  vim.bo[buffer].buftype = 'nowrite'
  vim.bo[buffer].buflisted = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].swapfile = false
  vim.cmd(('botright sbuffer %d'):format(buffer))
  vim.bo[buffer].modifiable = false
  vim.cmd('normal! G')
end

return M
