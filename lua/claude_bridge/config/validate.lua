--- Checks what the user wrote against the schema. A wrong value is named and left out.
local M = {}

local function is_list_of_strings(value)
  if type(value) ~= 'table' or not vim.islist(value) then
    return false
  end
  return vim.iter(value):all(function(item)
    return type(item) == 'string'
  end)
end

local function is_command(value)
  return type(value) == 'string' or (is_list_of_strings(value) and #value > 0)
end

---@type table<claude_bridge.OptionType, fun(value: any): boolean>
local checks = {
  boolean = function(value)
    return type(value) == 'boolean'
  end,
  string = function(value)
    return type(value) == 'string'
  end,
  number = function(value)
    return type(value) == 'number'
  end,
  integer = function(value)
    return type(value) == 'number' and value == math.floor(value)
  end,
  -- A function that came through `vim.g` may be a callable table.
  ['function'] = vim.is_callable,
  strings = is_list_of_strings,
  commands = function(value)
    if type(value) ~= 'table' or (vim.islist(value) and #value > 0) then
      return false
    end
    return vim.iter(value):all(function(_, command)
      return is_command(command)
    end)
  end,
  variables = function(value)
    if type(value) ~= 'table' or (vim.islist(value) and #value > 0) then
      return false
    end
    return vim.iter(value):all(function(name, text)
      return type(name) == 'string' and type(text) == 'string'
    end)
  end,
  table = function(value)
    return type(value) == 'table'
  end,
  provider = function(value)
    return type(value) == 'table' and vim.is_callable(value.open)
  end,
  tables = function(value)
    if type(value) ~= 'table' or (vim.islist(value) and #value > 0) then
      return false
    end
    return vim.iter(value):all(function(_, item)
      return type(item) == 'table'
    end)
  end,
}

---@type table<claude_bridge.OptionType, string>
local names = {
  boolean = 'true or false',
  string = 'a string',
  number = 'a number',
  integer = 'a whole number',
  ['function'] = 'a function',
  strings = 'a list of strings',
  commands = 'a table of name = command',
  tables = 'a table of name = table',
  variables = 'a table of name = text',
  table = 'a table',
  provider = 'a table of functions, with `open`',
}

--- What an option accepts, for messages and for the help file.
---@param option claude_bridge.Option
---@return string
function M.expected(option)
  if option.values then
    local list = vim.list_contains(option.types, 'strings') and 'a list of: ' or 'one of '
    local others = vim.tbl_filter(function(kind)
      return kind ~= 'string' and kind ~= 'strings'
    end, option.types)
    local also = vim.tbl_map(function(kind)
      return ', or ' .. names[kind]
    end, others)
    return list .. table.concat(option.values, ', ') .. table.concat(also)
  end
  local kinds = vim.tbl_map(function(kind)
    return names[kind]
  end, option.types)
  local text = table.concat(kinds, ' or ')
  if option.min and option.max then
    return ('%s from %s to %s'):format(text, option.min, option.max)
  end
  return option.min and ('%s of at least %s'):format(text, option.min) or text
end

---@param value any
---@return string
local function describe(value)
  if type(value) == 'string' then
    return ("'%s'"):format(value:sub(1, 40))
  end
  if is_list_of_strings(value) then
    return vim.inspect(value, { newline = ' ', indent = '' }):sub(1, 80)
  end
  if type(value) == 'table' or type(value) == 'function' then
    return 'a ' .. type(value)
  end
  return tostring(value)
end

local function in_range(value, option)
  if type(value) == 'number' then
    return value >= (option.min or value) and value <= (option.max or value)
  end
  if not option.values or (type(value) ~= 'string' and not is_list_of_strings(value)) then
    return true
  end
  return vim.iter(type(value) == 'table' and value or { value }):all(function(item)
    return vim.list_contains(option.values, item)
  end)
end

---@param value any
---@param option claude_bridge.Option
---@return string? problem
function M.check(value, option)
  local fits = vim.iter(option.types):any(function(kind)
    return checks[kind](value)
  end)
  if not fits or not in_range(value, option) then
    return ('option `%s`: expected %s, got %s'):format(
      option.path,
      M.expected(option),
      describe(value)
    )
  end
end

return M
