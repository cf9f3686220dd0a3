--- `:checkhealth claude_bridge`: what is there, what is missing, and what to do about it.
local M = {}

local SECTIONS = {
  { 'Neovim', 'claude_bridge.health.editor' },
  { 'Node.js and build', 'claude_bridge.health.build' },
  { 'Bridge', 'claude_bridge.health.bridge' },
  { 'Environment', 'claude_bridge.health.surroundings' },
  { 'Notebooks', 'claude_bridge.health.notebooks' },
  { 'Agents', 'claude_bridge.health.agents' },
}

function M.check()
  for _, section in ipairs(SECTIONS) do
    vim.health.start('claude_bridge: ' .. section[1])
    local ok, problem = pcall(function()
      require(section[2]).check()
    end)
    if not ok then
      vim.health.error('This part of the check failed: ' .. tostring(problem), {
        'Please report this as a fault of the plugin.',
      })
    end
  end
end

return M
