--- What an inline review draws: added and changed lines in a colour, removed lines between them.
local M = {}

local namespace = vim.api.nvim_create_namespace('claude_bridge_inline')

--- Removed lines that are shown of one change; the original has them all.
local MAX_REMOVED = 1000
--- Bytes of a line that are looked at.
local MAX_LINE = 10000
--- Changes that are drawn in one go; with more, keys get their turn in between.
local SLICE = 300

--- All are links that a colour scheme or the user may replace.
local GROUPS = {
  ClaudeDiffAdded = 'DiffAdd',
  ClaudeDiffChanged = 'DiffChange',
  ClaudeDiffText = 'DiffText',
  ClaudeDiffRemoved = 'DiffDelete',
}

function M.define()
  for name, link in pairs(GROUPS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

--- How wide a window's text is, and whether it wraps.
---@class claude_bridge.TextWidth
---@field width integer screen cells
---@field wraps boolean

---@param window integer
---@return claude_bridge.TextWidth
local function text_width(window)
  local info = vim.fn.getwininfo(window)[1]
  return { width = math.max(1, info.width - info.textoff), wraps = vim.wo[window].wrap }
end

--- A line as it looks in a buffer: tabs at their stops, control characters visible.
---@param line string
---@param tabstop integer
---@return string
local function as_shown(line, tabstop)
  local parts, cells = {}, 0
  for part, tab in line:gmatch('([^\t]*)(\t?)') do
    local text = vim.fn.strtrans(part)
    cells = cells + vim.api.nvim_strwidth(text)
    table.insert(parts, text)
    if tab ~= '' then
      local blanks = tabstop - cells % tabstop
      cells = cells + blanks
      table.insert(parts, (' '):rep(blanks))
    end
  end
  return table.concat(parts)
end

--- Cuts text into rows of a width.
---@param text string
---@param width integer screen cells
---@return string[]
local function rows_of(text, width)
  local rows, row, cells = {}, {}, 0
  for _, char in ipairs(vim.fn.split(text, '\\zs')) do
    local size = vim.api.nvim_strwidth(char)
    if cells + size > width and cells > 0 then
      table.insert(rows, table.concat(row))
      row, cells = {}, 0
    end
    table.insert(row, char)
    cells = cells + size
  end
  table.insert(rows, table.concat(row))
  return rows
end

---@param line string
---@param tabstop integer
---@param size claude_bridge.TextWidth
---@return string[]
local function removed_rows(line, tabstop, size)
  local text = as_shown(line:sub(1, MAX_LINE), tabstop)
  return size.wraps and rows_of(text, size.width) or { text }
end

--- The virtual lines that show what a change removes.
---@param lines string[] of the original
---@param range { start: integer, count: integer }
---@param tabstop integer
---@param size claude_bridge.TextWidth
---@return [string, string][][]
local function removed(lines, range, tabstop, size)
  local virtual = {}
  local function add(row)
    -- The colour goes on to the window's edge, as that of a line of the buffer does.
    local blanks = math.max(0, size.width - vim.api.nvim_strwidth(row))
    table.insert(virtual, { { row .. (' '):rep(blanks), 'ClaudeDiffRemoved' } })
  end
  for index = range.start, range.start + math.min(range.count, MAX_REMOVED) - 1 do
    vim.iter(removed_rows(lines[index], tabstop, size)):each(add)
  end
  if range.count > MAX_REMOVED then
    add(('… %d more lines are removed here'):format(range.count - MAX_REMOVED))
  end
  return virtual
end

--- How many bytes two lines have in common, from their start or from their end.
---@param old string
---@param new string
---@param at fun(line: string, index: integer): integer the byte that is `index` away, from 0
---@param most integer
---@return integer
local function common(old, new, at, most)
  local count = 0
  while count < most and at(old, count) == at(new, count) do
    count = count + 1
  end
  return count
end

local function from_start(line, index)
  return line:byte(index + 1)
end

local function from_end(line, index)
  return line:byte(#line - index)
end

--- Where a line differs from the one that it stands for, in whole characters.
---@param old string
---@param new string
---@return integer from 0-based byte column
---@return integer to exclusive
local function changed_part(old, new)
  local shortest = math.min(#old, #new)
  if shortest > MAX_LINE then
    return 0, 0
  end
  local from = common(old, new, from_start, shortest)
  local to = #new - common(old, new, from_end, shortest - from)
  if from < #new then
    from = from + vim.str_utf_start(new, from + 1)
  end
  if to < #new and vim.str_utf_start(new, to + 1) < 0 then
    to = to + vim.str_utf_end(new, to + 1) + 1
  end
  return from, to
end

---@param buffer integer
---@param hunk claude_bridge.Hunk
---@param comparison claude_bridge.Comparison
local function mark_lines(buffer, hunk, comparison)
  local new, old = hunk.proposal, hunk.original
  vim.api.nvim_buf_set_extmark(buffer, namespace, new.start - 1, 0, {
    end_row = new.start - 1 + new.count,
    hl_group = old.count == 0 and 'ClaudeDiffAdded' or 'ClaudeDiffChanged',
    hl_eol = true,
    priority = 100,
    strict = false,
  })
  -- Only where lines stand for lines can it be said what of them has changed.
  if old.count ~= new.count or new.count > MAX_REMOVED then
    return
  end
  for offset = 0, new.count - 1 do
    local row = new.start + offset
    local from, to =
      changed_part(comparison.original.lines[old.start + offset], comparison.proposal.lines[row])
    if to > from then
      vim.api.nvim_buf_set_extmark(buffer, namespace, row - 1, from, {
        end_col = to,
        hl_group = 'ClaudeDiffText',
        priority = 101,
        strict = false,
      })
    end
  end
end

---@param buffer integer
---@param hunk claude_bridge.Hunk
---@param comparison claude_bridge.Comparison
---@param size claude_bridge.TextWidth
local function mark(buffer, hunk, comparison, size)
  if hunk.proposal.count > 0 then
    mark_lines(buffer, hunk, comparison)
  end
  if hunk.original.count == 0 then
    return
  end
  local last = vim.api.nvim_buf_line_count(buffer)
  local new = hunk.proposal
  local line = new.count == 0 and new.start + 1 or new.start
  -- Below the last line there is no line to stand above; nor in a text of which nothing is left.
  local is_below = line > last or #comparison.proposal.lines == 0
  vim.api.nvim_buf_set_extmark(buffer, namespace, math.min(line, last) - 1, 0, {
    virt_lines = removed(comparison.original.lines, hunk.original, vim.bo[buffer].tabstop, size),
    virt_lines_above = not is_below,
  })
end

--- Scrolls so that what is removed above the first line of a window is seen.
---@param window integer at whose top line 1 is
function M.show_above(window)
  vim.api.nvim_win_call(window, function()
    local view = vim.fn.winsaveview()
    local marks = vim.api.nvim_buf_get_extmarks(
      0,
      namespace,
      { 0, 0 },
      { 0, -1 },
      { details = true }
    )
    for _, found in ipairs(marks) do
      local above = found[4].virt_lines_above and #found[4].virt_lines or 0
      if view.topline == 1 and above > view.topfill then
        vim.fn.winrestview({ topline = 1, topfill = math.min(above, vim.fn.winheight(0) - 1) })
      end
    end
  end)
end

--- Keeps in sight what is removed above line 1, where the user was at the top.
---@param buffer integer
local function keep_top(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
    if view.topline == 1 and (view.lnum == 1 or view.topfill > 0) then
      M.show_above(window)
    end
  end
end

--- Draws a comparison in place of the one before.
---@param review claude_bridge.Review
---@param comparison claude_bridge.Comparison
function M.draw(review, comparison)
  local buffer = review.proposal.buffer
  local window = vim.fn.win_findbuf(buffer)[1]
  if not window then
    return
  end
  local size = text_width(window)
  local drawing = review.inline.drawing + 1
  review.inline.drawing = drawing
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local function slice(first)
    if review.inline.drawing ~= drawing or not vim.api.nvim_buf_is_loaded(buffer) then
      return
    end
    local last = math.min(first + SLICE - 1, #comparison.hunks)
    for index = first, last do
      mark(buffer, comparison.hunks[index], comparison, size)
    end
    if first == 1 then
      keep_top(buffer)
    end
    if last < #comparison.hunks then
      vim.schedule(function()
        slice(last + 1)
      end)
    end
  end
  slice(1)
end

--- Neovim does not show by itself what stands above line 1 when a window scrolls there.
---@param review claude_bridge.Review
---@param scrolled table<string, { topline: integer }> of `v:event`
function M.show_top(review, scrolled)
  for _, window in ipairs(vim.fn.win_findbuf(review.proposal.buffer)) do
    local change = scrolled[tostring(window)]
    if change and change.topline < 0 and vim.fn.line('w0', window) == 1 then
      M.show_above(window)
    end
  end
end

return M
