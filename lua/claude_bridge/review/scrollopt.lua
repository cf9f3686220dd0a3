--- Diff mode adds "hor" to 'scrollopt' and, with the last diff of a tabpage, takes it away again,
--- although diffs in other tabpages may need it.
local M = {}

---@type string?
local before

--- To be called before a review starts its diff.
function M.save()
  before = before or vim.o.scrollopt
end

---@return boolean
local function any_diff()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.wo[window].diff then
      return true
    end
  end
  return false
end

---@param value string
---@return string
local function without_hor(value)
  return (value:gsub(',hor', ''))
end

--- To be called after a review's windows have gone.
---@param is_last boolean no other review is on screen
function M.restore(is_last)
  if not before then
    return
  end
  if any_diff() then
    vim.opt.scrollopt:append('hor')
  elseif is_last and without_hor(vim.o.scrollopt) == without_hor(before) then
    vim.o.scrollopt = before
  end
  if is_last then
    before = nil
  end
end

return M
