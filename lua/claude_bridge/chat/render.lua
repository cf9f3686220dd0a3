--- What an entry looks like, but for the text that streams in: lines before and after that.
local M = {}

local Block = require('claude_bridge.chat.block')

---@alias claude_bridge.ChatEntry table as in doc/bridge.md

local INDENT = '  '
local INPUT_LINES = 60
local DIFF_LINES = 300

--- ToolState -> sign and group.
local TOOL = {
  pending = { '○', 'ClaudeSessionPending' },
  running = { '●', 'ClaudeSessionRunning' },
  done = { '✓', 'ClaudeSessionDone' },
  failed = { '✗', 'ClaudeSessionFailed' },
  cancelled = { '-', 'ClaudeSessionPending' },
}
local VERBS = {
  read = 'read',
  edit = 'edit',
  delete = 'delete',
  move = 'move',
  search = 'search',
  fetch = 'fetch',
}
local PLAN = { pending = '[ ]', running = '[~]', done = '[x]' }
local NOTICE =
  { info = 'ClaudeSessionInfo', warn = 'ClaudeSessionWarn', error = 'ClaudeSessionError' }
local DELIVERY = { queued = ' (waits to be sent)', failed = ' (not sent)' }

---@param attachment { label: string, size?: integer }
---@param indent string
---@param block claude_bridge.ChatBlock
local function add_attachment(block, attachment, indent)
  local size = attachment.size
      and (' (%s)'):format(require('claude_bridge.chat.format').bytes(attachment.size))
    or ''
  block:add(
    indent,
    { '@' .. attachment.label, 'ClaudeSessionPath' },
    { size, 'ClaudeSessionDetail' }
  )
end

---@param diffs claude_bridge.FileDiff[]
---@return { blocks: claude_bridge.ChatBlock[], summary: string }
local function diff_blocks(diffs)
  local blocks, added, removed = {}, 0, 0
  for index, diff in ipairs(diffs) do
    local plus, minus
    blocks[index], plus, minus =
      require('claude_bridge.chat.diff').block(diff, { indent = INDENT, limit = DIFF_LINES })
    added, removed = added + plus, removed + minus
  end
  return { blocks = blocks, summary = (' +%d -%d'):format(added, removed) }
end

--- Compared once for each set of diffs.
---@param entry claude_bridge.ChatEntry
---@return { blocks: claude_bridge.ChatBlock[], summary: string }?
local function diffs_of(entry)
  if not entry.diffs or #entry.diffs == 0 then
    return nil
  end
  if entry.compared_from ~= entry.diffs then
    entry.compared, entry.compared_from = diff_blocks(entry.diffs), entry.diffs
  end
  return entry.compared
end

---@param entry claude_bridge.ChatEntry
---@return string detail what stands at the end of the first line
local function tool_detail(entry)
  local parts = {}
  if entry.agent then
    parts[#parts + 1] = ' by ' .. entry.agent
  end
  local diffs = diffs_of(entry)
  parts[#parts + 1] = diffs and diffs.summary or nil
  if entry.duration then
    parts[#parts + 1] = ' ' .. require('claude_bridge.chat.format').duration(entry.duration)
  end
  if entry.state == 'cancelled' then
    parts[#parts + 1] = ' cancelled'
  end
  return table.concat(parts)
end

--- Many agents name no tool, and a path alone does not tell what is done with it.
---@param entry claude_bridge.ChatEntry
---@return string '' where the title says all of it
local function name_of(entry)
  local verb = VERBS[entry.category] or ''
  local is_said = vim.startswith(entry.title:lower(), verb)
  return entry.name or (is_said and '' or verb)
end

---@param entry claude_bridge.ChatEntry
---@param block claude_bridge.ChatBlock
local function tool_head(block, entry)
  local sign = TOOL[entry.state] or TOOL.pending
  local name, rest = name_of(entry), ''
  if name == '' then
    name = entry.title
  elseif vim.startswith(entry.title, name) then
    rest = entry.title:sub(#name + 1)
  else
    rest = ' ' .. entry.title
  end
  local fault = entry.error and ': ' .. (entry.error:match('[^\n]*')) or ''
  block:add(
    { sign[1], sign[2] },
    { ' ' .. name, 'ClaudeSessionTool' },
    rest,
    { tool_detail(entry), 'ClaudeSessionDetail' },
    { fault, 'ClaudeSessionFailed' }
  )
  if entry.input and entry.input ~= entry.title then
    block:add_text(entry.input, {
      indent = INDENT,
      group = 'ClaudeSessionInput',
      limit = INPUT_LINES,
    })
  end
end

---@type table<string, fun(block: claude_bridge.ChatBlock, entry: claude_bridge.ChatEntry)>
local heads = {
  user = function(block, entry)
    local note = DELIVERY[entry.delivery] or ''
    block:add({ 'You', 'ClaudeSessionUser' }, { note, 'ClaudeSessionWaiting' })
  end,
  agent = function() end,
  thought = function(block, entry)
    block:add({ entry.streaming and 'Thinking …' or 'Thought', 'ClaudeSessionThought' })
  end,
  tool = tool_head,
  plan = function(block, entry)
    block:add({ 'Plan', 'ClaudeSessionHeading' })
    for _, item in ipairs(entry.items) do
      local group = item.state == 'done' and 'ClaudeSessionDetail' or nil
      local important = item.priority == 'high' and ' (!)' or ''
      block:add(
        INDENT,
        { (PLAN[item.state] or PLAN.pending) .. ' ', 'ClaudeSessionList' },
        { item.text, group },
        { important, 'ClaudeSessionWarn' }
      )
    end
  end,
  notice = function(block, entry)
    block:add_text(entry.text, { group = NOTICE[entry.level], limit = INPUT_LINES })
  end,
  attachment = function(block, entry)
    add_attachment(block, entry.attachment, '')
  end,
}

--- The lines before the text.
---@param entry claude_bridge.ChatEntry
---@return claude_bridge.ChatBlock
function M.head(entry)
  local block = Block.new()
  local draw = heads[entry.kind]
  if draw then
    draw(block, entry)
  end
  return block
end

--- The lines after the text.
---@param entry claude_bridge.ChatEntry
---@return claude_bridge.ChatBlock block
---@return { [1]: integer, [2]: integer }[] folds first line (from 0) and length of each diff
function M.tail(entry)
  local block, folds = Block.new(), {}
  if entry.error and entry.error:find('\n', 1, true) then
    block:add_text(
      entry.error,
      { indent = INDENT, group = 'ClaudeSessionError', limit = INPUT_LINES }
    )
  end
  for _, location in ipairs(not entry.diffs and entry.locations or {}) do
    local line = location.line and (':%d'):format(location.line + 1) or ''
    local path = require('claude_bridge.chat.format').path(location.path)
    block:add(INDENT, { path .. line, 'ClaudeSessionPath' })
  end
  local diffs = diffs_of(entry)
  for _, diff in ipairs(diffs and diffs.blocks or {}) do
    folds[#folds + 1] = { #block.lines, #diff.lines }
    block:append(diff)
  end
  for _, attachment in ipairs(entry.attachments or {}) do
    add_attachment(block, attachment, INDENT)
  end
  return block, folds
end

--- The text that streams, or nil where the kind has none.
---@param kind string
---@return { field: 'text'|'output', indent?: string, markdown?: boolean, room?: integer }?
function M.body(kind)
  if kind == 'tool' then
    return { field = 'output', indent = INDENT }
  end
  if kind == 'thought' then
    return { field = 'text', indent = INDENT, markdown = true }
  end
  if kind == 'user' or kind == 'agent' then
    return { field = 'text', markdown = true, room = 5000 }
  end
end

return M
