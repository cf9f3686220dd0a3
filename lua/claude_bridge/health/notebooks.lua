--- Health: what running code in notebooks needs. All of it is optional.
local M = {}

local health = vim.health

---@return boolean there
local function check_library()
  local root = require('claude_bridge.host').root()
  if vim.uv.fs_stat(root .. '/node_modules/zeromq/package.json') then
    health.ok('The npm package zeromq is installed')
    return true
  end
  health.info(
    ('Agents cannot run code in notebooks: that needs the npm package zeromq; run "npm install --include=optional" in %s'):format(
      root
    )
  )
  return false
end

local function check_permission()
  local words = {
    ask = 'Agents may run code after you have allowed the first code of their session',
    always = 'Agents may run code without a question (option `kernel.allow`)',
    never = 'Agents may not run code (option `kernel.allow`)',
  }
  health.info(words[require('claude_bridge.config').get().kernel.allow])
end

function M.check()
  if check_library() then
    check_permission()
  end
end

return M
