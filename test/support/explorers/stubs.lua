-- Stand-ins for explorers: of their documented interfaces, what the plugin asks for, over a plain
-- list of a folder. `CLAUDE_BRIDGE_PLUGINS` names a folder with the real ones for the same tests.
local M = {}

---@param folder string
---@param filetype string
---@param entries table[] shown by `name`, in order
---@param name? string of the buffer
local function show(folder, filetype, entries, name)
  local buffer = vim.api.nvim_create_buf(false, true)
  if name then
    vim.api.nvim_buf_set_name(buffer, name)
  end
  vim.b[buffer].stub = { folder = folder, entries = entries }
  local lines = vim.tbl_map(function(entry)
    return entry.name
  end, entries)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].filetype = filetype
  vim.api.nvim_set_current_buf(buffer)
  return buffer
end

local function entries_of(folder)
  local entries = {}
  for name, kind in vim.fs.dir(folder) do
    entries[#entries + 1] = { name = name, type = kind, path = folder .. '/' .. name }
  end
  table.sort(entries, function(a, b)
    return a.name < b.name
  end)
  return entries
end

local function entry(buffer, row)
  return (vim.b[buffer or 0].stub or { entries = {} }).entries[row]
end

function M.oil()
  package.loaded['oil'] = {
    setup = function() end,
    open = function(folder)
      local scheme = folder:match('^oil%-%w+://')
      local entries = scheme and { { name = 'a.txt', type = 'file' } } or entries_of(folder)
      show(folder, 'oil', entries, scheme and folder or 'oil://' .. folder .. '/')
    end,
    get_current_dir = function(buffer)
      return vim.api.nvim_buf_get_name(buffer or 0):match('^oil://(.*)$')
    end,
    get_entry_on_line = function(buffer, row)
      return entry(buffer, row)
    end,
  }
end

function M.nvim_tree()
  local marks, root = {}, ''
  local function node_at(row)
    local found = entry(0, row)
    return found and { absolute_path = found.path, name = found.name, type = found.type }
  end
  package.loaded['nvim-tree'] = { setup = function() end }
  package.loaded['nvim-tree.api'] = {
    tree = {
      open = function(options)
        root = options.path
        local entries = entries_of(root)
        table.insert(entries, 1, { name = root, path = root, type = 'directory' })
        show(root, 'NvimTree', entries)
      end,
      get_node_under_cursor = function()
        return node_at(vim.fn.line('.'))
      end,
    },
    marks = {
      list = function()
        return marks
      end,
      toggle = function(node)
        table.insert(marks, node or node_at(vim.fn.line('.')))
      end,
    },
  }
end

function M.neo_tree()
  local state
  local function node_of(found)
    return found
      and {
        type = found.type,
        path = found.path,
        get_id = function()
          return found.path
        end,
      }
  end
  package.loaded['neo-tree'] = { setup = function() end }
  package.loaded['neo-tree.command'] = {
    execute = function(options)
      local entries = entries_of(options.dir)
      entries[#entries + 1] = { name = '(message)', type = 'message' }
      show(options.dir, 'neo-tree', entries)
      state = {
        selected = {},
        tree = {
          get_node = function(_, row_or_id)
            return node_of(vim.iter(ipairs(entries)):find(function(row, found)
              return row == row_or_id or found.path == row_or_id
            end) and vim.iter(entries):find(function(found)
              return found.path == row_or_id or found == entries[row_or_id]
            end))
          end,
        },
      }
    end,
  }
  package.loaded['neo-tree.sources.manager'] = {
    get_state_for_window = function()
      return state
    end,
  }
end

function M.mini_files()
  package.loaded['mini.files'] = {
    setup = function() end,
    open = function(folder)
      local entries = entries_of(folder)
      entries[#entries + 1] = { name = 'typed, not made yet' }
      show(folder, 'minifiles', entries)
    end,
    get_fs_entry = function(buffer, row)
      local found = entry(buffer, row)
      return found and found.path and { path = found.path, fs_type = found.type } or nil
    end,
  }
end

function M.snacks()
  local Picker = { top = 1 }
  Picker.__index = Picker
  function Picker:is_focused()
    return vim.api.nvim_get_current_buf() == self.buffer
  end
  function Picker:selected()
    return vim.deepcopy(self.list.selected)
  end
  function Picker:current()
    return self.items[vim.fn.line('.')]
  end
  local pickers = {}
  local function open(folder, items)
    local self = setmetatable({ items = items }, Picker)
    for _, item in ipairs(items) do
      item.name = item.name or item.text
    end
    self.buffer = show(folder, 'snacks_picker_list', items)
    self.list = {
      selected = {},
      select = function(list, item)
        table.insert(list.selected, item or self:current())
      end,
      get = function(_, index)
        return items[index]
      end,
      row2idx = function(_, row)
        return row
      end,
    }
    pickers = { self }
  end
  local picker = {
    get = function()
      return pickers
    end,
    util = {
      path = function(item)
        local file = item.file
        return file and (item.cwd and item.cwd .. '/' .. file or file)
      end,
    },
  }
  setmetatable(picker, {
    __call = function(_, options)
      open('', options.items)
    end,
  })
  function picker.explorer(options)
    local items = vim.tbl_map(function(found)
      return { file = found.path, name = found.name }
    end, entries_of(options.cwd))
    open(options.cwd, items)
  end
  package.loaded['snacks'] = { setup = function() end, picker = picker }
end

-- Of `snacks.terminal` and `snacks.win`: a split that can be hidden.
function M.snacks_terminal()
  local Window = {}
  Window.__index = Window
  function Window:buf_valid()
    return vim.api.nvim_buf_is_valid(self.buf)
  end
  function Window:win_valid()
    return self.win ~= nil and vim.api.nvim_win_is_valid(self.win)
  end
  function Window:on_current_tab()
    return vim.api.nvim_win_get_tabpage(self.win) == vim.api.nvim_get_current_tabpage()
  end
  function Window:show()
    if not self:win_valid() then
      local share = self.opts.width
      local width = share < 1 and math.floor(vim.o.columns * share) or share
      local options = { split = self.opts.position, width = width }
      self.win = vim.api.nvim_open_win(self.buf, true, options)
    end
    return self
  end
  function Window:focus()
    vim.api.nvim_set_current_win(self.win)
    return self
  end
  function Window:close(options)
    if self:win_valid() then
      vim.api.nvim_win_close(self.win, true)
    end
    if not options or options.buf ~= false then
      pcall(vim.api.nvim_buf_delete, self.buf, { force = true })
    end
  end
  function Window:hide()
    self:close({ buf = false })
    return self
  end
  package.loaded['snacks'] = {
    terminal = {
      open = function(cmd, options)
        local buf = vim.api.nvim_create_buf(false, true)
        local window = setmetatable({ buf = buf, opts = options.win }, Window)
        window:show()
        local start = vim.fn.has('nvim-0.11') == 1 and vim.fn.jobstart or vim.fn.termopen
        local job = { cwd = options.cwd, env = options.env }
        job.term = vim.fn.has('nvim-0.11') == 1 or nil
        start(cmd, job)
        vim.api.nvim_create_autocmd('TermClose', {
          buffer = buf,
          callback = function()
            if options.auto_close ~= false then
              window:close()
            end
          end,
        })
        return window
      end,
    },
  }
end

return M
