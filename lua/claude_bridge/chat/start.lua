--- What begins with the user: opening a session, sending to it, giving files along.
local M = {}

local function sessions()
  return require('claude_bridge.chat.sessions')
end

--- Those of `src/agent-directory.ts`.
local BUILT_IN = { 'claude', 'codex', 'copilot', 'gemini', 'goose', 'opencode', 'qwen', 'sid-code' }

--- Names of agents that a session can be held with.
---@return string[]
function M.agents()
  local names = vim.tbl_keys(require('claude_bridge.config').get().session.agents)
  for _, name in ipairs(BUILT_IN) do
    if not vim.list_contains(names, name) then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

---@param name string of a session or an agent; '' for any
---@return claude_bridge.ChatSession?
local function running(name)
  for _, session in ipairs(sessions().live()) do
    if name == '' or session.name == name then
      return session
    end
  end
  for _, session in ipairs(sessions().live()) do
    if session.agent == name then
      return session
    end
  end
end

---@param event table
local function when_ready(event)
  require('claude_bridge.session').when_ready(function()
    require('claude_bridge.channel').notify(event)
  end)
end

--- Shows a running session, or has node begin one.
---@param name string of a session or an agent; '' for the last used or the configured one
---@param fresh boolean a further session with the same agent
function M.start(name, fresh)
  local session = not fresh and running(name) or nil
  if session and session.view then
    require('claude_bridge.chat.windows').show(session)
  elseif session then
    -- The conversation was wiped out here; node has all of it.
    session.is_hidden = nil
    when_ready({ kind = 'chat_show', session = session.name })
  else
    when_ready({
      kind = 'chat_open',
      agent = name ~= '' and name or nil,
      folder = vim.fn.getcwd(),
      fresh = fresh or nil,
    })
  end
end

---@param path string
---@return string absolute
local function file_at(path)
  local absolute = vim.fn.fnamemodify(vim.fs.normalize(path), ':p')
  if not vim.uv.fs_stat(absolute) then
    error({ message = ('there is no file %s'):format(path) })
  end
  return (absolute:gsub('(.)/$', '%1'))
end

--- The file of the current buffer, with lines where the command was given a range.
---@param args claude_bridge.CommandArgs
---@return { path: string, first?: integer, last?: integer }
local function current_file(args)
  local name = vim.api.nvim_buf_get_name(0)
  if name == '' or vim.bo.buftype ~= '' then
    error({ message = 'this buffer is no file that an agent could read' })
  end
  local file = { path = file_at(name) }
  if args.range > 0 then
    file.first, file.last = args.line1 - 1, args.line2 - 1
  end
  return file
end

--- Adds a file to what is sent next; with a bang, takes all away.
---@param args claude_bridge.CommandArgs
function M.attach(args)
  local compose = sessions().require_live().compose
  if args.bang then
    compose:detach()
  elseif args.args ~= '' then
    compose:attach({ path = file_at(args.args) })
  else
    compose:attach(current_file(args))
  end
end

--- Sends a text, or what is in the prompt buffer. Lines of a range go along.
---@param args claude_bridge.CommandArgs
function M.send(args)
  local compose = sessions().require_live().compose
  if args.range > 0 then
    compose:attach(current_file(args))
  end
  if args.args == '' then
    compose:send()
  elseif not compose:submit(args.args) then
    error({ message = 'the bridge does not run; nothing was sent' })
  end
end

return M
