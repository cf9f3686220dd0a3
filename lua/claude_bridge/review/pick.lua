--- Which review a command means.
local M = {}

local state = require('claude_bridge.review.state')

---@param reviews claude_bridge.Review[]
---@param prompt string
---@param act fun(review: claude_bridge.Review)
function M.ask(reviews, prompt, act)
  vim.ui.select(reviews, {
    prompt = prompt,
    format_item = function(review)
      return ('%s  %s'):format(vim.fn.fnamemodify(review.path, ':~:.'), review.title)
    end,
  }, function(review)
    -- It may have been decided while the question was open.
    if review and state.is_pending(review) then
      act(review)
    end
  end)
end

---@return claude_bridge.Review?
local function obvious()
  local here = state.of_window(vim.api.nvim_get_current_win())
  if here and state.is_pending(here) then
    return here
  end
  local pending = state.pending()
  local tabpage = vim.api.nvim_get_current_tabpage()
  local in_tabpage = vim.tbl_filter(function(review)
    return review.layout.tabpage == tabpage
  end, pending)
  if #in_tabpage == 1 then
    return in_tabpage[1]
  end
  return #pending == 1 and pending[1] or nil
end

--- The review of the current window, else the only one of the tabpage, else the only one; else the
--- user is asked.
---@param prompt string
---@param act fun(review: claude_bridge.Review)
function M.one(prompt, act)
  local review = obvious()
  if review then
    act(review)
  elseif #state.pending() > 0 then
    M.ask(state.pending(), prompt, act)
  else
    require('claude_bridge.ui').notify({ level = 'info', message = 'no edit waits for a review' })
  end
end

return M
