--- netrw, by the functions that it has for the user's own maps.
---@type claude_bridge.Explorer
local M = {}

local TREE = 3

---@param name string
---@param ... any
---@return any
local function call(name, ...)
  return vim.fn['netrw#Call'](name, ...)
end

--- Runs with the cursor in a row: netrw tells what is at the cursor.
---@generic T
---@param row integer
---@param run fun(): T
---@return T
local function in_row(row, run)
  local view = vim.fn.winsaveview()
  if row ~= view.lnum then
    vim.api.nvim_win_set_cursor(0, { row, 0 })
  end
  local result = run()
  vim.fn.winrestview(view)
  return result
end

--- netrw cuts the marks for links (`@`) and programs (`*`) off, also where they belong to a name.
---@param folder string
---@param word string
---@return string
local function existing(folder, word)
  for _, ending in ipairs({ '', '*', '@' }) do
    local path = vim.fs.joinpath(folder, word .. ending)
    if vim.uv.fs_lstat(path) then
      return path
    end
  end
  return vim.fs.joinpath(folder, word)
end

function M.marked()
  local marked = vim.fn['netrw#Expose']('netrwmarkfilelist')
  -- Without marks it is a word that says so.
  return type(marked) == 'table'
      and vim.tbl_map(function(path)
        return { path = path }
      end, marked)
    or {}
end

function M.at(row, is_alone)
  -- In the banner netrw would carry out what the row is for.
  if row < (vim.w.netrw_bannercnt or 1) then
    return nil
  end
  return in_row(row, function()
    local word = call('NetrwGetWord')
    if word == './' then
      -- Among its own entries the folder is none.
      return is_alone and { path = vim.b.netrw_curdir } or nil
    elseif word == '' or word == '../' then
      return nil
    elseif vim.w.netrw_liststyle ~= TREE then
      return { path = existing(vim.b.netrw_curdir, word) }
    end
    local folder = call('NetrwTreePath', vim.w.netrw_treetop)
    return { path = word:sub(-1) == '/' and folder or existing(folder, word) }
  end)
end

return M
