--- The folders in which the user works. An agent started in one of them, or below, finds this
--- editor by them.
local M = {}

--- What makes a folder a project's root.
local ROOT_MARKERS = { '.git', '.hg', '.svn', '.jj' }

--- The working directory as it was typed, which may lead through a link.
---@type string?
local typed

--- To be called before the working directory changes.
---@param directory string as given to `:cd`
function M.remember_typed(directory)
  typed = require('claude_bridge.paths').absolute(directory)
end

---@param alias string?
---@param real string
---@return string? alias where it names that folder
local function alias_of(alias, real)
  return alias and alias ~= '' and vim.uv.fs_realpath(alias) == real and alias or nil
end

--- Whether the folder is so wide that it would claim agents of other projects.
---@param folder string
---@return boolean
local function is_too_wide(folder)
  return folder == '/' or folder == vim.uv.os_homedir()
end

--- Working directory (as typed, and real), those of the tabpage and of the editor where they
--- differ, the root of the project around it, and what language servers were given. The root is
--- that of the working directory and not of the current file: an agent must not find another
--- editor because a file of its project was looked at there.
---@return string[] folders without repeats, the working directory first
function M.folders()
  local folders, seen = {}, {}
  local function add(folder)
    if folder and folder ~= '' and not seen[folder] then
      seen[folder] = true
      table.insert(folders, folder)
    end
  end
  local cwd = vim.fn.getcwd()
  local real = vim.uv.fs_realpath(cwd) or cwd
  add(alias_of(typed, real) or alias_of(vim.env.PWD, real))
  add(cwd)
  add(real)
  add(vim.fn.getcwd(-1, 0))
  add(vim.fn.getcwd(-1, -1))
  local found = cwd ~= '' and { vim.fs.root(cwd, ROOT_MARKERS) } or {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    for _, folder in ipairs(client.workspace_folders or {}) do
      local ok, name = pcall(vim.uri_to_fname, folder.uri)
      table.insert(found, ok and name or nil)
    end
  end
  for _, folder in ipairs(found) do
    if not is_too_wide(folder) then
      add((folder:gsub('(.)/$', '%1')))
    end
  end
  return folders
end

return M
