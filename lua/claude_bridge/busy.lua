--- What the user is in the middle of although Neovim is in Normal mode.
local M = {}

--- Whether the next key belongs to what came before it: a macro is being recorded, a register or an
--- operator waits for its command, or keys were typed that have not been worked off. The focus must
--- not move then.
---@return boolean
function M.is_mid_command()
  return vim.fn.reg_recording() ~= '' or vim.fn.state('o') ~= '' or vim.fn.getchar(1) ~= 0
end

return M
