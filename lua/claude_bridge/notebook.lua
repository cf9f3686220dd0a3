--- The notebook that the user has before him: a Jupyter file, a script with cells, or Quarto.
local M = {}

--- A kernel is named at the very beginning, the language of Quarto by its first chunk.
local HEADER_LINES = 200
--- How far a first `# %%` is looked for.
local CELL_LINES = 2000

---@class claude_bridge.Notebook
---@field path string absolute
---@field kind 'ipynb'|'percent'|'quarto'
---@field language? string file type of a script
---@field header string[] first lines
---@field connection_file? string of a kernel that the user wants to join

--- Whether a line is the mark of a cell, and not a magic such as `# %%time`.
---@param line string
---@return boolean
local function is_cell_mark(line)
  local after = line:match('^%s*[#/;%-]+%s?%%%%(.?)')
  return after ~= nil and after:find('^[%s%[%%]?$') ~= nil
end

---@param buf integer
---@return 'ipynb'|'percent'|'quarto'|nil
local function kind_of(buf)
  local extension = vim.api.nvim_buf_get_name(buf):match('%.(%w+)$')
  if extension == 'ipynb' or extension == 'qmd' then
    return extension == 'qmd' and 'quarto' or 'ipynb'
  end
  if vim.bo[buf].filetype == 'quarto' then
    return 'quarto'
  end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, CELL_LINES, false)) do
    if is_cell_mark(line) then
      return 'percent'
    end
  end
end

---@param win integer
---@return integer? buf of a notebook
---@return 'ipynb'|'percent'|'quarto'|nil kind
local function notebook_in(win)
  local buf = vim.api.nvim_win_get_buf(win)
  if require('claude_bridge.paths').is_real_file(buf) then
    local kind = kind_of(buf)
    return kind and buf or nil, kind
  end
end

--- The notebook of the active file window, or else of another window of this tabpage.
---@return integer? buf
---@return 'ipynb'|'percent'|'quarto'|nil kind
function M.find()
  local active = require('claude_bridge.windows').active_file()
  local wins = vim.api.nvim_tabpage_list_wins(0)
  if active then
    table.insert(wins, 1, active)
  end
  for _, win in ipairs(wins) do
    local buf, kind = notebook_in(win)
    if buf then
      return buf, kind
    end
  end
end

---@return claude_bridge.Notebook?
function M.current()
  local buf, kind = M.find()
  if not buf or not kind then
    return nil
  end
  local filetype = vim.bo[buf].filetype
  return {
    path = vim.api.nvim_buf_get_name(buf),
    kind = kind,
    language = kind == 'percent' and filetype ~= '' and filetype or nil,
    header = kind == 'ipynb' and {} or vim.api.nvim_buf_get_lines(buf, 0, HEADER_LINES, false),
    connection_file = vim.b[buf].claude_kernel,
  }
end

--- Makes the current notebook join a kernel that runs; without a file it gets its own again.
---@param connection_file? string a path, or a bare file name in Jupyter's runtime folder
function M.join(connection_file)
  local buf = M.find()
  if not buf then
    error({ message = 'no notebook is in sight: open the .ipynb, .qmd or "# %%" file first' })
  end
  if connection_file and connection_file:find('[/\\]') then
    connection_file = require('claude_bridge.paths').absolute(connection_file)
  end
  vim.b[buf].claude_kernel = connection_file
end

--- The connection files of running kernels, for completion.
---@param lead string
---@return string[]
function M.complete_connection(lead)
  local data = vim.env.JUPYTER_DATA_DIR
    or (vim.fn.has('mac') == 1 and vim.fs.normalize('~/Library/Jupyter'))
    or (vim.env.XDG_DATA_HOME or vim.fs.normalize('~/.local/share')) .. '/jupyter'
  local folder = vim.env.JUPYTER_RUNTIME_DIR or data .. '/runtime'
  local names = {}
  for name, type in vim.fs.dir(folder) do
    if type == 'file' and name:find('^kernel.*%.json$') and vim.startswith(name, lead) then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return #names > 0 and names or vim.fn.getcompletion(lead, 'file')
end

return M
