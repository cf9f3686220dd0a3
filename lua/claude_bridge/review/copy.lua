--- `:w other` in a proposal: a copy, byte for byte. It decides nothing.
local M = {}

---@param proposal claude_bridge.Proposal
---@param target string absolute path
---@param mode 'wb'|'ab'
---@param first integer 1-based
---@param last integer
function M.write(proposal, target, mode, first, last)
  local buffer = proposal.buffer
  require('claude_bridge.review.traits').follow(proposal)
  local text = require('claude_bridge.review.proposal').read(buffer)
  local whole = first == 1 and last == vim.api.nvim_buf_line_count(buffer)
  if not whole then
    text.lines = vim.list_slice(text.lines, first, last)
    text.eol = text.eol or last < vim.api.nvim_buf_line_count(buffer)
  end
  text.bom = text.bom and first == 1 and mode == 'wb'
  local file, problem = io.open(target, mode)
  if not file then
    error({ message = ('cannot write %s: %s'):format(target, problem) }, 0)
  end
  local done, why = file:write(require('claude_bridge.review.proposal').to_bytes(text))
  file:close()
  if not done then
    error({ message = ('cannot write %s: %s'):format(target, why) }, 0)
  end
  require('claude_bridge.ui').notify({
    level = 'info',
    message = ('copied to %s; the review is still open'):format(vim.fs.basename(target)),
  })
end

return M
