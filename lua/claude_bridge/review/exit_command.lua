--- Whether the command that quits a window is `:x` or `:exit`. On an unmodified buffer these write
--- nothing and so look like `:q` to autocommands; what the user typed tells them apart.
local M = {}

local namespace = vim.api.nvim_create_namespace('claude_bridge_exit_command')

--- From the moment the command is entered until it is over.
local is_exit = false

--- Whether a command line holds `:xit` or `:exit`, also behind modifiers and `|`.
---@param line string
---@return boolean
local function has_exit(line)
  while line ~= '' do
    local parsed, command = pcall(vim.api.nvim_parse_cmd, line, {})
    if not parsed then
      return false
    end
    if command.cmd == 'xit' or command.cmd == 'exit' then
      -- With the name of another file it is not this text that is written.
      return #command.args == 0
    end
    line = command.nextcmd or ''
  end
  return false
end

--- Whether keys are mapped to such a command, and to nothing else, by `<Cmd>`.
---@param keys string as typed
---@return boolean
local function is_mapped_to_exit(keys)
  local mode = vim.fn.mode():sub(1, 1)
  -- A mapping may lead to another.
  for _ = 1, 5 do
    local rhs = vim.fn.maparg(keys, mode, false, true).rhs
    if not rhs then
      return false
    end
    local command = rhs:match('^<[Cc][Mm][Dd]>([^<]*)<[Cc][Rr]>$')
    if command then
      return has_exit(command)
    end
    keys = rhs
  end
  return false
end

---@param group integer of autocommands
function M.start(group)
  require('claude_bridge.autocmd').create('CmdlineLeave', {
    group = group,
    pattern = ':',
    callback = function()
      is_exit = not vim.v.event.abort and has_exit(vim.fn.getcmdline())
    end,
  })
  -- The next key comes when the command is over, be it done or failed.
  vim.on_key(function(key, typed)
    local runs_command = typed and typed ~= '' and vim.fn.keytrans(key) == '<Cmd>'
    is_exit = runs_command and is_mapped_to_exit(vim.fn.keytrans(typed)) or false
  end, namespace)
end

function M.stop()
  vim.on_key(nil, namespace)
  is_exit = false
end

--- To be asked when a window is being quit.
---@return boolean
function M.is_running()
  return is_exit
end

return M
