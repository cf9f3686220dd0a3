--- Health: Neovim itself, the options, and what other remote plugins need.
local M = {}

local health = vim.health

local function check_options()
  local problems = require('claude_bridge.config').problems()
  for _, problem in ipairs(problems) do
    health.warn(problem, { 'See :help claude_bridge-options. The default is in force.' })
  end
  if #problems == 0 then
    health.ok('The options are right')
  end
end

--- Only for the curious: the plugin starts its own host and needs no manifest.
local function check_manifest()
  if vim.g.loaded_remote_plugins ~= nil and vim.fn.exists(':UpdateRemotePlugins') == 0 then
    health.info(
      'g:loaded_remote_plugins is set: Neovim loads no remote plugins. This plugin does not need that; others might.'
    )
    return
  end
  local manifest = vim.env.NVIM_RPLUGIN_MANIFEST
    or vim.fs.joinpath(vim.fn.stdpath('data') --[[@as string]], 'rplugin.vim')
  local file = io.open(manifest, 'r')
  local text = file and file:read('*a') or ''
  if file then
    file:close()
  end
  local known = text:find('rplugin/node/claude_bridge', 1, true) ~= nil
  health.info(
    ('The remote plugin manifest (%s) %s this plugin, which works either way'):format(
      manifest,
      known and 'knows' or 'does not know'
    )
  )
end

function M.check()
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim is older than 0.10', { 'Install Neovim 0.10 or later.' })
  end
  if vim.fn.exists(':ClaudeBridgeStart') == 2 then
    health.ok('The commands are defined')
  else
    health.error('The commands are not defined: plugin/claude_bridge.lua was not loaded', {
      'Check that the plugin is on the runtime path and that Neovim was not started with --noplugin.',
    })
  end
  check_options()
  check_manifest()
  health.info('g:node_host_prog: ' .. tostring(vim.g.node_host_prog or 'not set'))
end

return M
