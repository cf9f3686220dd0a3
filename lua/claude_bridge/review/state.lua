--- The reviews that the user sees. Each view is in here from its preparation until it is gone.
local M = {}

---@class claude_bridge.Review
---@field id string
---@field title string the agent's name for it
---@field path string the file that the proposal is for
---@field opened_at integer seconds since the epoch
---@field keeps_line_ends boolean the agent gives a file with CR LF its line ends again
---@field original claude_bridge.Original
---@field proposal claude_bridge.Proposal
---@field layout? claude_bridge.ReviewLayout nil until it is shown
---@field settled? 'accepted'|'rejected'|'closed' the first word counts
---@field unloaded? claude_bridge.ViewText what the user had typed when the buffer was unloaded
---@field guarded? boolean the editor is about to exit, and the user has typed into the proposal
---@field comparison? claude_bridge.Comparison the last that was made
---@field inline? { is_due: boolean, drawing: integer } of a view in one window
---@field quitting? boolean the user has just quit the proposal's window by a command

---@type table<string, claude_bridge.Review>
M.reviews = {}

---@param review claude_bridge.Review
---@return boolean
function M.is_pending(review)
  return review.layout ~= nil and review.settled == nil
end

--- Shown and undecided, the oldest first.
---@return claude_bridge.Review[]
function M.pending()
  local found = vim.tbl_filter(M.is_pending, vim.tbl_values(M.reviews))
  table.sort(found, function(a, b)
    return (tonumber(a.id) or 0) < (tonumber(b.id) or 0)
  end)
  return found
end

---@param buffer integer
---@return claude_bridge.Review?
function M.of_proposal(buffer)
  for _, review in pairs(M.reviews) do
    if review.proposal.buffer == buffer then
      return review
    end
  end
end

--- The review that a window takes part in, by either side.
---@param window integer
---@return claude_bridge.Review?
function M.of_window(window)
  local shown = M.of_proposal(vim.api.nvim_win_get_buf(window))
  if shown then
    return shown
  end
  for _, review in pairs(M.reviews) do
    if review.layout and review.layout.left == window then
      return review
    end
  end
end

return M
