--- What the user does in the editor, told to the agents as long as a session lives.
local M = {}

local api = vim.api

--- Going through many files tells of the last.
local SETTLE_MS = 200

---@type integer?
local group
---@type uv.uv_timer_t?
local timer
---@type string?, string?
local told_path, told_theme

---@param context table
local function tell(context)
  require('claude_bridge.channel').notify({ kind = 'chat_context', context = context })
end

--- The file of a buffer, or nil where it shows none.
---@param buffer integer
---@return string?
local function file_of(buffer)
  local name = api.nvim_buf_is_valid(buffer) and api.nvim_buf_get_name(buffer) or ''
  if name == '' or vim.bo[buffer].buftype ~= '' or name:match('^%a[%w+.-]+://') then
    return nil
  end
  return vim.fn.fnamemodify(name, ':p')
end

local function tell_theme()
  if vim.o.background ~= told_theme then
    told_theme = vim.o.background
    tell({ what = 'theme', theme = told_theme })
  end
end

local function tell_file()
  local path = file_of(api.nvim_get_current_buf())
  if path and path ~= told_path then
    told_path = path
    tell({ what = 'file-selected', path = path })
  end
end

local function tell_file_soon()
  if timer then
    timer:stop()
    timer:start(SETTLE_MS, 0, vim.schedule_wrap(tell_file))
  end
end

--- Tells all of it, and what changes from now on.
function M.watch()
  if group then
    told_path, told_theme = nil, nil
    tell_theme()
    tell_file_soon()
    return
  end
  group = api.nvim_create_augroup('claude_bridge_session_context', {})
  timer = assert(vim.uv.new_timer())
  local function on(events, pattern, callback)
    require('claude_bridge.autocmd').create(
      events,
      { group = group, pattern = pattern, callback = callback }
    )
  end
  on('BufEnter', '*', tell_file_soon)
  on('BufWritePost', '*', function(args)
    local path = file_of(args.buf)
    if path then
      tell({ what = 'file-saved', path = path })
    end
  end)
  on('OptionSet', 'background', tell_theme)
  on('ColorScheme', '*', tell_theme)
  on('User', 'ClaudeBridgeStopped', function()
    require('claude_bridge.chat.lost').all()
  end)
  tell_theme()
  tell_file_soon()
end

--- No session lives: nothing is told.
function M.unwatch()
  if group then
    api.nvim_del_augroup_by_id(group)
    group = nil
  end
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
  told_path, told_theme = nil, nil
end

return M
