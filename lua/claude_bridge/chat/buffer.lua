--- Buffers of sessions: no file, no swap file, no question when Neovim ends.
local M = {}

local api = vim.api

--- A buffer of this name that has been unloaded is empty: another takes its place.
---@param name string
local function make_room(name)
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_get_name(buffer) == name then
      api.nvim_buf_delete(buffer, { force = true })
    end
  end
end

---@param session string
---@param filetype 'claude_bridge_session'|'claude_bridge_prompt'
---@return integer buffer
function M.create(session, filetype)
  local suffix = filetype == 'claude_bridge_prompt' and '/prompt' or ''
  local name = ('claude-session://%s%s'):format(session, suffix)
  make_room(name)
  local buffer = api.nvim_create_buf(false, false)
  api.nvim_buf_set_name(buffer, name)
  local bo = vim.bo[buffer]
  bo.buftype = 'nofile'
  bo.bufhidden = 'hide'
  bo.swapfile = false
  bo.buflisted = false
  vim.b[buffer].claude_bridge_session = session
  bo.filetype = filetype
  return buffer
end

return M
