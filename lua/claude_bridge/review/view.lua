--- Shows a prepared review: windows, titles, cursor and focus; and takes it away again.
local M = {}

local literal = require('claude_bridge.review.diff_window').literal

--- How long to wait where Neovim lets no window be closed just now, ms.
local RETRY_MS = 50

local LINE_ENDS = { unix = 'LF', dos = 'CR LF', mac = 'CR' }

---@param mode string of nvim_get_mode()
---@return boolean the user is in the middle of nothing
local function is_idle(mode)
  return (mode == 'n' or mode == 't' or mode == 'nt')
    and vim.bo.buftype ~= 'prompt'
    and not require('claude_bridge.busy').is_mid_command()
end

--- What lines cannot show of a change.
---@param review claude_bridge.Review
---@return string
local function invisible_changes(review)
  if
    review.original.note == 'new file' or not vim.api.nvim_buf_is_loaded(review.original.buffer)
  then
    return ''
  end
  local old, new = vim.bo[review.original.buffer], vim.bo[review.proposal.buffer]
  local found = {}
  local function compare(option, added, removed)
    if old[option] ~= new[option] then
      table.insert(found, (' [%s]'):format(new[option] and added or removed))
    end
  end
  compare('endofline', 'adds the final newline', 'drops the final newline')
  compare('bomb', 'adds the byte order mark', 'drops the byte order mark')
  local is_kept = review.keeps_line_ends and new.fileformat == 'unix'
  if review.original.format and old.fileformat ~= new.fileformat and not is_kept then
    local becomes = ' [%s becomes %s]'
    table.insert(found, becomes:format(LINE_ENDS[old.fileformat], LINE_ENDS[new.fileformat]))
  end
  return table.concat(found)
end

---@param window integer
---@param title string
local function set_title(window, title)
  if vim.wo[window].winbar ~= title then
    -- A window of one line has no room for a title.
    pcall(vim.api.nvim_set_option_value, 'winbar', title, { win = window, scope = 'local' })
  end
end

---@param review claude_bridge.Review
---@return string what there is to tell of the original
local function note_of(review)
  return review.original.note and (' [%s]'):format(review.original.note) or ''
end

--- Titles the proposal anew, whose line ends may have changed.
---@param review claude_bridge.Review
function M.update_title(review)
  local layout = review.layout
  local window = layout and layout.right
  local is_shown = window
    and vim.api.nvim_win_is_valid(window)
    and vim.api.nvim_win_get_buf(window) == review.proposal.buffer
  if not is_shown then
    return
  end
  local note = layout.left and '' or note_of(review)
  -- In a narrow window the title gives way: what to type stays readable.
  local title = '%<' .. literal(' ' .. review.title .. note .. invisible_changes(review))
  set_title(window, title .. '%= :w accepts, :q rejects')
end

---@param review claude_bridge.Review
local function set_titles(review)
  local left = review.layout.left
  if left then
    set_title(left, literal(' ' .. vim.fs.basename(review.path) .. note_of(review)))
  end
  M.update_title(review)
end

--- The line of the file at which the user was, if the user saw it.
---@param review claude_bridge.Review
---@return integer
local function users_line(review)
  local layout = review.layout
  local window = layout.left or layout.to_cover
  if window and vim.api.nvim_win_get_buf(window) == review.original.buffer then
    return vim.api.nvim_win_get_cursor(window)[1]
  end
  return 1
end

---@param review claude_bridge.Review
---@param jump boolean
local function set_cursor(review, jump)
  local layout = review.layout
  local line = users_line(review)
  vim.api.nvim_win_call(layout.right, function()
    if not jump then
      local last = vim.api.nvim_buf_line_count(0)
      vim.api.nvim_win_set_cursor(0, { math.min(line, last), 0 })
    elseif layout.is_inline then
      require('claude_bridge.review.inline').go_to_first(review)
    else
      require('claude_bridge.review.diff_window').go_to_first_change()
    end
  end)
end

--- The text that the user works on must not fold away, and the cursor in it must not follow that of
--- the other side.
---@param review claude_bridge.Review
---@param jump boolean
local function set_cursor_beside_user(review, jump)
  local view = vim.fn.winsaveview()
  set_cursor(review, jump)
  local left = review.layout.left
  if left == vim.api.nvim_get_current_win() then
    vim.api.nvim_set_option_value('foldenable', false, { win = left, scope = 'local' })
    vim.fn.winrestview(view)
  end
end

---@param review claude_bridge.Review
---@param takes_focus boolean
local function set_focus(review, takes_focus)
  local layout = review.layout
  if takes_focus then
    -- An error in someone's autocommand comes after the fact.
    pcall(vim.api.nvim_set_current_win, layout.right)
    vim.cmd('silent! syncbind')
    return
  end
  if layout.own_tabpage then
    local number = vim.api.nvim_tabpage_get_number(layout.tabpage)
    require('claude_bridge.ui').notify({
      level = 'info',
      message = ('an edit of %s waits for your review in tab page %d'):format(
        vim.fs.basename(review.path),
        number
      ),
    })
  end
end

---@param review claude_bridge.Review
---@param options { layout: string, focus: boolean, jump: boolean }
local function show(review, options)
  local mode = vim.api.nvim_get_mode().mode
  local takes_focus = options.focus and is_idle(mode)
  require('claude_bridge.review.place').open(review, {
    layout = options.layout,
    keep_focus = not takes_focus,
    came_from = require('claude_bridge.review.way_back').places(mode),
  })
  require('claude_bridge.review.quietly').run(function()
    set_titles(review)
    if review.layout.is_inline then
      require('claude_bridge.review.inline').start(review)
    end
    local place_cursor = takes_focus and set_cursor or set_cursor_beside_user
    place_cursor(review, options.jump)
  end)
  set_focus(review, takes_focus)
  require('claude_bridge.review.cover').complete(review.layout)
  require('claude_bridge.review.remove').measure_others(review)
end

---@param review claude_bridge.Review
---@param options { layout: string, focus: boolean, jump: boolean }
function M.show(review, options)
  require('claude_bridge.review.quietly').keep_cursors(function()
    show(review, options)
  end)
end

--- Whether windows may be opened and closed now.
---@return boolean
function M.can_change_windows()
  return vim.fn.getcmdwintype() == ''
end

--- Takes a review away, as soon as Neovim lets windows be closed.
---@param review claude_bridge.Review
---@param after fun()
function M.hide(review, after)
  local remove = require('claude_bridge.review.remove')
  local function again()
    M.hide(review, after)
  end
  if not M.can_change_windows() then
    require('claude_bridge.autocmd').create(
      'CmdwinLeave',
      { once = true, callback = vim.schedule_wrap(again) }
    )
    return
  end
  local done, problem = pcall(remove.windows, review)
  if not done and tostring(problem):find('E565') then
    vim.defer_fn(again, RETRY_MS)
    return
  end
  remove.buffers(review)
  after()
  if not done then
    error(problem, 0)
  end
end

return M
