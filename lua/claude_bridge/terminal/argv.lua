--- Command lines as lists of arguments; none of them ever goes through a shell.
local M = {}

local WINDOWS = vim.fn.has('win32') == 1

--- Splits at blanks outside quotes. A backslash takes the next character as it is, except between
--- single quotes, and on Windows, where it parts folders.
---@param text string
---@return string[]? words
---@return string? problem
function M.split(text)
  local words, word, quote = {}, nil, nil
  local index = 1
  while index <= #text do
    local char = text:sub(index, index)
    if quote then
      if char == quote then
        quote = nil
      elseif char == '\\' and quote == '"' and text:sub(index + 1, index + 1):match('["\\]') then
        index = index + 1
        word = word .. text:sub(index, index)
      else
        word = word .. char
      end
    elseif char == '"' or char == "'" then
      quote, word = char, word or ''
    elseif char == '\\' and not WINDOWS and index < #text then
      index = index + 1
      word = (word or '') .. text:sub(index, index)
    elseif char:match('%s') then
      words[#words + 1], word = word, nil
    else
      word = (word or '') .. char
    end
    index = index + 1
  end
  if quote then
    return nil, ('a closing %s is missing in: %s'):format(quote, text)
  end
  words[#words + 1] = word
  return words
end

--- A configured command as a list.
---@param command string|string[]
---@return string[]? argv
---@return string? problem
function M.from_command(command)
  local words, problem = command, nil
  if type(command) == 'string' then
    words, problem = M.split(command)
  end
  if not words then
    return nil, problem
  end
  if not words[1] or words[1] == '' then
    return nil, 'the command is empty'
  end
  local argv = vim.list_extend({}, words --[[@as string[] ]])
  if argv[1]:match('^~[/\\]') then
    argv[1] = vim.uv.os_homedir() .. argv[1]:sub(2)
  end
  return argv
end

return M
