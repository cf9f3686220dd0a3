--- A change of a file as a unified diff to read.
local M = {}

--- Comparing larger texts would hold the editor up.
local LIMIT_BYTES = 400000

local GROUPS = {
  ['+'] = 'ClaudeSessionAdded',
  ['-'] = 'ClaudeSessionRemoved',
  ['@'] = 'ClaudeSessionHunk',
}

---@class claude_bridge.FileDiff
---@field path string
---@field before? string nil: a new file
---@field after string
---@field part? boolean both texts are parts of the file
---@field omitted? boolean

---@param before string
---@param after string
---@return string
local function unified(before, after)
  local compare = vim.text and vim.text.diff or vim.diff
  return compare(before, after, { ctxlen = 3, algorithm = 'histogram' }) --[[@as string]]
end

---@param text string
---@return integer added, integer removed
local function counts(text)
  local _, added = ('\n' .. text):gsub('\n%+', '')
  local _, removed = ('\n' .. text):gsub('\n%-', '')
  return added, removed
end

---@param diff claude_bridge.FileDiff
---@return string? text nil: too long to show
local function text_of(diff)
  if diff.omitted or #(diff.before or '') + #diff.after > LIMIT_BYTES then
    return nil
  end
  return unified(diff.before or '', diff.after)
end

--- The diff with its path on the first line.
---@param diff claude_bridge.FileDiff
---@param options { indent?: string, limit?: integer }
---@return claude_bridge.ChatBlock block, integer added, integer removed
function M.block(diff, options)
  local block = require('claude_bridge.chat.block').new()
  local indent = options.indent or ''
  local text = text_of(diff)
  local added, removed = counts(text or '')
  local note = diff.before == nil and ' (new)' or ''
  local path = require('claude_bridge.chat.format').path(diff.path)
  block:add(indent, { path, 'ClaudeSessionPath' }, {
    text and ('%s +%d -%d'):format(note, added, removed) or note .. ' too long to show here',
    'ClaudeSessionDetail',
  })
  local limit = options.limit or math.huge
  for line in vim.gsplit(text or '', '\n', { plain = true, trimempty = true }) do
    if #block.lines > limit then
      block:add(indent, { '… the rest is left out here', 'ClaudeSessionDetail' })
      break
    end
    -- The numbers in a part are not those of the file.
    if not (diff.part and line:sub(1, 1) == '@') then
      block:add(indent, { line, GROUPS[line:sub(1, 1)] })
    end
  end
  return block, added, removed
end

return M
