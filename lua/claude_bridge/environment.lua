--- The variables by which an agent finds this editor, in Neovim's own environment.
local M = {}

--- Names that a proxy must not be asked for. A client takes one spelling or the other.
local LOOPBACK = { 'localhost', '127.0.0.1', '::1' }
local NO_PROXY = { 'no_proxy', 'NO_PROXY' }

---@class claude_bridge.Remembered
---@field name string
---@field before? string nil: was not set
---@field ours string

--- In the order of setting: two names may be one variable (on Windows case does not count).
---@type claude_bridge.Remembered[]
local remembered = {}
---@type table<string, string>
local variables = {}
--- What would lead an agent astray, by the name of its executable.
---@type table<string, string[]>
local blank = {}

--- Unlike `vim.env` this tells an empty value from none.
---@param name string
---@return string?
local function read(name)
  return vim.uv.os_getenv(name)
end

---@param name string
---@param value string
local function set(name, value)
  remembered[#remembered + 1] = { name = name, before = read(name), ours = value }
  vim.env[name] = value
end

--- What is exempt now, by either spelling, and the loopback names.
---@param over? table<string, string> variables that go before those of Neovim
---@return string
local function no_proxy(over)
  local entries, seen = {}, {}
  local function add(entry)
    if entry ~= '' and not seen[entry] then
      seen[entry] = true
      entries[#entries + 1] = entry
    end
  end
  for _, name in ipairs(NO_PROXY) do
    for entry in (over and over[name] or read(name) or ''):gmatch('[^,%s]+') do
      -- Exempts every host, and only when it stands alone.
      if entry == '*' then
        return '*'
      end
      add(entry)
    end
  end
  vim.iter(LOOPBACK):each(add)
  return table.concat(entries, ',')
end

--- Sets the variables, unless an option keeps Neovim's environment as it is.
---@param params { variables: table<string, string>, blank?: table<string, string[]> }
function M.apply(params)
  M.restore()
  variables, blank = params.variables, params.blank or {}
  if not require('claude_bridge.config').get().environment then
    return
  end
  for name, value in vim.spairs(variables) do
    set(name, value)
  end
  local exempt = no_proxy()
  for _, name in ipairs(NO_PROXY) do
    set(name, exempt)
  end
end

--- Puts back what was there. A variable that the user has changed since stays as it is.
function M.restore()
  for index = #remembered, 1, -1 do
    local entry = remembered[index]
    if read(entry.name) == entry.ours then
      vim.env[entry.name] = entry.before
    end
  end
  remembered, variables, blank = {}, {}, {}
end

--- The environment for an agent's own process, also where Neovim's is kept as it is.
---@param names? string[] what may tell which agent it is: its name, its executable
---@return table<string, string> those of the user only while the bridge does not run
function M.for_agent(names)
  local users = require('claude_bridge.config').get().terminal.env
  if vim.tbl_isempty(variables) then
    return vim.deepcopy(users)
  end
  local environment = vim.deepcopy(variables)
  for _, name in ipairs(names or {}) do
    local program = vim.fn.fnamemodify(name, ':t'):gsub('%.%w+$', '')
    for _, variable in ipairs(blank[program] or {}) do
      environment[variable] = ''
    end
  end
  environment = vim.tbl_extend('force', environment, users)
  local exempt = no_proxy(users)
  for _, name in ipairs(NO_PROXY) do
    environment[name] = exempt
  end
  return environment
end

return M
