--- Autocommands that cannot break what the user does: an error of ours is one line for the user, and
--- nothing at all while Neovim leaves. There any error message would make it wait for a key, for
--- ever where nobody is there to press one.
local M = {}

--- Told already: what happens on each key must not fill the screen.
---@type table<string, true>
local told = {}

---@param problem any
local function tell(problem)
  local text = tostring(type(problem) == 'table' and problem.message or problem)
  if told[text] then
    return
  end
  told[text] = true
  -- An update may have taken the rest of the plugin away under a Neovim that runs.
  pcall(function()
    require('claude_bridge.ui').notify({ level = 'error', message = text })
  end)
end

---@generic T
---@param callback fun(args: T): boolean?
---@return fun(args: T): boolean?
function M.guarded(callback)
  return function(args)
    if vim.v.exiting ~= vim.NIL then
      return nil
    end
    local ok, result = pcall(callback, args)
    if ok then
      return result
    end
    tell(result)
  end
end

--- As `nvim_create_autocmd`, for a callback.
---@param events string|string[]
---@param options vim.api.keyset.create_autocmd
---@return integer id
function M.create(events, options)
  local guarded = vim.tbl_extend('force', options, { callback = M.guarded(options.callback) })
  return vim.api.nvim_create_autocmd(events, guarded)
end

return M
