--- Health: node, and what the build step has made.
local M = {}

local health = vim.health

local function check_node()
  local host = require('claude_bridge.host')
  local wished = require('claude_bridge.config').get().node
  local node = host.node()
  if not node then
    health.error(('%s is not an executable on PATH'):format(wished or 'node'), {
      'Install Node.js 20 or later (https://nodejs.org).',
      "Or name it: vim.g.claude_bridge = { node = '/path/to/node' }",
      'A version manager may set PATH only in interactive shells; start Neovim from such a shell.',
    })
    return
  end
  local answer = require('claude_bridge.health.run').versions({ node = node }).node
  local version = require('claude_bridge.node')
  local major = version.major(answer.text or '')
  if not major then
    health.error(('%s: %s'):format(node, answer.problem or ('unknown version ' .. answer.text)), {
      'Install Node.js 20 or later, or set the option `node`.',
    })
  elseif major < version.LEAST_MAJOR then
    health.error(
      ('%s is Node.js %s; %d or later is needed'):format(node, answer.text, version.LEAST_MAJOR),
      {
        'Install a newer Node.js, or set the option `node` to one.',
      }
    )
  else
    health.ok(('Node.js %s (%s)'):format(answer.text, node))
  end
end

---@param path string
---@return table
local function read_json(path)
  local file = io.open(path, 'r')
  if not file then
    return {}
  end
  local ok, value = pcall(vim.json.decode, file:read('*a'))
  file:close()
  return ok and type(value) == 'table' and value or {}
end

---@param root string
---@return boolean
local function is_older_than_sources(root)
  local built = vim.uv.fs_stat(root .. '/dist/claude_bridge.cjs')
  local sources = vim.fs.find(function(name)
    return vim.endswith(name, '.ts')
  end, { path = root .. '/src', limit = math.huge, type = 'file' })
  return vim.iter(sources):any(function(path)
    local source = vim.uv.fs_stat(path)
    return source ~= nil and built ~= nil and source.mtime.sec > built.mtime.sec
  end)
end

local function check_build()
  local root = require('claude_bridge.host').root()
  local remedy = { ('Run "npm run build" in %s'):format(root) }
  for _, name in ipairs({ 'dist/host.cjs', 'dist/claude_bridge.cjs' }) do
    if not vim.uv.fs_stat(root .. '/' .. name) then
      health.error(name .. ' is missing: the plugin is not built', remedy)
      return
    end
  end
  local built = read_json(root .. '/dist/version.json').version
  local wanted = read_json(root .. '/package.json').version
  if built ~= wanted then
    local text = 'The build is of version %s, the plugin is version %s'
    health.error(text:format(tostring(built), tostring(wanted)), remedy)
  elseif is_older_than_sources(root) then
    health.warn('The build is older than the sources', remedy)
  else
    health.ok(('Built, version %s'):format(tostring(built)))
  end
end

function M.check()
  check_node()
  check_build()
end

return M
