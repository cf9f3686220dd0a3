--- The options: what the user wrote, over the defaults of the schema.
local M = {}

---@class claude_bridge.Config
---@field auto_start boolean
---@field agents? string[]
---@field node? string
---@field environment boolean
---@field server { port: integer, host: string, names: string[], lock_dir?: string, transport: 'ws'|'sse', pid?: integer, ide_name: string }
---@field selection { enabled: boolean }
---@field privacy { enabled: boolean, exclude: string[] }
---@field tools { outside_workspace: boolean }
---@field diff { enabled: boolean, layout: 'vertical'|'horizontal'|'tab'|'inline', focus: boolean, jump: boolean }
---@field terminal claude_bridge.TerminalConfig
---@field kernel claude_bridge.KernelConfig
---@field session { agent: string, agents: table<string, table>, attachment_limit: integer, side: 'left'|'right', width: number, prompt_height: integer }
---@field log { level: 'debug'|'info'|'warn'|'error', path?: string }

---@class claude_bridge.TerminalConfig
---@field provider 'native'|'snacks'|'external'|'none'|claude_bridge.TerminalProvider
---@field cmd string|string[]
---@field agents table<string, string|string[]>
---@field external? string[]|fun(argv: string[], context: { cwd: string, env: table<string, string> }): string[]?
---@field send? fun(text: string, options: { submit: boolean, agent?: string, cwd?: string })
---@field env table<string, string>
---@field cwd? string|fun(): string?
---@field side 'right'|'left'
---@field width number
---@field snacks table
---@field focus_after_mention boolean
---@field auto_insert boolean
---@field auto_close boolean

---@class claude_bridge.KernelConfig
---@field allow 'ask'|'always'|'never'
---@field name? string
---@field connection_file? string
---@field timeout_ms integer
---@field startup_timeout_ms integer
---@field max_output_bytes integer
---@field max_image_bytes integer

---@type table?
local from_setup
---@type claude_bridge.Config?
local resolved
---@type string[]
local problems = {}

---@param node table
---@param path string
---@param value any
local function set(node, path, value)
  local parts = vim.split(path, '.', { plain = true })
  for index = 1, #parts - 1 do
    node[parts[index]] = node[parts[index]] or {}
    node = node[parts[index]]
  end
  node[parts[#parts]] = value
end

---@return table config, table<string, claude_bridge.Option> options by path, table<string, true> groups
local function from_schema()
  local config, options, groups = {}, {}, {}
  for _, option in ipairs(require('claude_bridge.config.schema')) do
    options[option.path] = option
    local group = option.path:match('^(.*)%.')
    if group then
      groups[group] = true
      config[group] = config[group] or {}
    end
    set(config, option.path, vim.deepcopy(option.default))
  end
  return config, options, groups
end

---@param path string
---@param options table<string, claude_bridge.Option>
---@param groups table<string, true>
local function unknown(path, options, groups)
  local known = vim.list_extend(vim.tbl_keys(options), vim.tbl_keys(groups))
  table.sort(known)
  local near = require('claude_bridge.config.suggest').nearest(path, known)
  local hint = near and (', did you mean `%s`?'):format(near) or ''
  problems[#problems + 1] = ('unknown option `%s`%s'):format(path, hint)
end

--- Takes over what is right of one source and notes what is not.
local function merge(config, source, prefix, options, groups)
  for key, value in pairs(source) do
    local path = prefix .. tostring(key)
    if options[path] then
      local problem = require('claude_bridge.config.validate').check(value, options[path])
      if problem then
        problems[#problems + 1] = problem
      else
        set(config, path, vim.deepcopy(value))
      end
    elseif not groups[path] then
      unknown(path, options, groups)
    elseif type(value) ~= 'table' then
      problems[#problems + 1] = ('option `%s`: expected a table, got %s'):format(path, type(value))
    else
      merge(config, value, path .. '.', options, groups)
    end
  end
end

--- The table of one source, or an empty one with the reason noted.
---@param name string
---@param source any
---@return table
local function table_of(name, source)
  if source == nil then
    return {}
  end
  if vim.is_callable(source) then
    local ok, result = pcall(source)
    if not ok then
      problems[#problems + 1] = ('%s: the function failed: %s'):format(name, result)
      return {}
    end
    source = result
  end
  if type(source) ~= 'table' then
    problems[#problems + 1] = ('%s: expected a table, got %s'):format(name, type(source))
    return {}
  end
  return source
end

local function report()
  if #problems > 0 then
    local message = table.concat(problems, '; ')
    vim.schedule(function()
      require('claude_bridge.ui').notify({ level = 'warn', message = message })
    end)
  end
end

--- Stores the options; they are read when they are first needed.
---@param options? table|fun(): table
function M.setup(options)
  from_setup = options
  M.reload()
end

--- Forgets what was read, so that a change of `vim.g.claude_bridge` is seen.
function M.reload()
  resolved = nil
end

--- The options in force. A wrong one has its default here, and the user has been told.
---@return claude_bridge.Config
function M.get()
  if not resolved then
    problems = {}
    local config, options, groups = from_schema()
    merge(config, table_of('vim.g.claude_bridge', vim.g.claude_bridge), '', options, groups)
    merge(config, table_of('setup()', from_setup), '', options, groups)
    table.sort(problems)
    resolved = config
    report()
  end
  return resolved
end

---@return string[] what is wrong with the options, one line each
function M.problems()
  M.get()
  return problems
end

--- What the node side needs to know; unset options are left out.
---@return table
function M.for_node()
  return require('claude_bridge.config.node').from(M.get())
end

return M
