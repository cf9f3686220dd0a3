--- What an inline review draws: added and changed lines in a colour, removed lines between them.
local M = {}

local hunks = require('claude_bridge.review.hunks')
local removed_text = require('claude_bridge.review.removed_text')

local namespace = vim.api.nvim_create_namespace('claude_bridge_inline')

--- Lines of a change up to which it is looked at line by line.
local MAX_LINES = 1000
--- Lines of a change up to which it is looked for the lines that stand for one another.
local MAX_MATCHED = 60
--- How long drawing goes on before keys get their turn, ns.
local SLICE_NS = 10e6

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
  if shortest > removed_text.MAX_BYTES then
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

---@param lines string[]
---@param range { start: integer, count: integer }
---@return string
local function text_of(lines, range)
  return table.concat(lines, '\n', range.start, range.start + range.count - 1) .. '\n'
end

--- Which lines of a change stand for which: the most alike, where it is small enough to find out;
--- else each for the one of its number, where there are as many.
---@param hunk claude_bridge.Hunk
---@param comparison claude_bridge.Comparison
---@return table<integer, integer> pairs lines of the original by lines of the proposal, 1-based
---@return table<integer, true> added lines of the proposal that stand for none
local function match_lines(hunk, comparison)
  local old, new = hunk.original, hunk.proposal
  local parts = { { 1, old.count, 1, new.count } }
  if old.count > 0 and old.count + new.count <= MAX_MATCHED and old.count + new.count > 2 then
    parts = hunks.diff(
      text_of(comparison.original.lines, old),
      text_of(comparison.proposal.lines, new),
      { result_type = 'indices', linematch = MAX_MATCHED }
    )
  end
  local matched, added = {}, {}
  for _, part in ipairs(parts) do
    local old_start, old_count, new_start, new_count = unpack(part)
    for offset = 0, new_count - 1 do
      local line = new.start + new_start - 1 + offset
      if old_count == 0 then
        added[line] = true
      elseif old_count == new_count then
        matched[line] = old.start + old_start - 1 + offset
      end
    end
  end
  return matched, added
end

--- Colours whole lines, to the window's edge.
---@param buffer integer
---@param first integer 1-based
---@param last integer inclusive
---@param group string
local function mark_rows(buffer, first, last, group)
  vim.api.nvim_buf_set_extmark(buffer, namespace, first - 1, 0, {
    end_row = last,
    hl_group = group,
    hl_eol = true,
    priority = 100,
    strict = false,
  })
end

---@param buffer integer
---@param line integer 1-based
---@param from integer 0-based byte column
---@param to integer exclusive
local function mark_text(buffer, line, from, to)
  if to > from then
    vim.api.nvim_buf_set_extmark(buffer, namespace, line - 1, from, {
      end_col = to,
      hl_group = 'ClaudeDiffText',
      priority = 101,
      strict = false,
    })
  end
end

---@param buffer integer
---@param hunk claude_bridge.Hunk
---@param comparison claude_bridge.Comparison
local function mark_lines(buffer, hunk, comparison)
  local first, last = hunk.proposal.start, hunk.proposal.start + hunk.proposal.count - 1
  if hunk.proposal.count > MAX_LINES then
    local is_new = hunk.original.count == 0
    mark_rows(buffer, first, last, is_new and 'ClaudeDiffAdded' or 'ClaudeDiffChanged')
    return
  end
  local matched, added = match_lines(hunk, comparison)
  local run = first
  for line = first, last do
    if line == last or added[line] ~= added[line + 1] then
      mark_rows(buffer, run, line, added[line] and 'ClaudeDiffAdded' or 'ClaudeDiffChanged')
      run = line + 1
    end
    local old, new = comparison.original.lines[matched[line]], comparison.proposal.lines[line]
    if old then
      mark_text(buffer, line, changed_part(old, new))
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
    virt_lines = removed_text.virtual_lines(
      comparison.original.lines,
      hunk.original,
      vim.bo[buffer].tabstop,
      size,
      'ClaudeDiffRemoved'
    ),
    virt_lines_above = not is_below,
  })
end

--- How many rows stand above a line.
---@param buffer integer
---@param row integer 0-based
---@return integer
local function rows_above(buffer, row)
  local range = { { row, 0 }, { row, -1 } }
  local marks =
    vim.api.nvim_buf_get_extmarks(buffer, namespace, range[1], range[2], { details = true })
  local count = 0
  for _, found in ipairs(marks) do
    if found[4].virt_lines_above then
      count = count + #found[4].virt_lines
    end
  end
  return count
end

--- Scrolls so that what is removed above the top line of a window is seen, as far as there is room.
---@param window integer
function M.show_above(window)
  vim.api.nvim_win_call(window, function()
    local view = vim.fn.winsaveview()
    local above = rows_above(vim.api.nvim_get_current_buf(), view.topline - 1)
    local room = vim.api.nvim_win_get_height(0) - (vim.wo.winbar ~= '' and 1 or 0) - 1
    if above > view.topfill then
      vim.fn.winrestview({ topline = view.topline, topfill = math.min(above, room) })
    end
  end)
end

---@param window integer
---@return table of winsaveview()
local function view_of(window)
  return vim.api.nvim_win_call(window, vim.fn.winsaveview)
end

--- The windows at whose top the user has scrolled out of sight what is removed there.
---@param buffer integer
---@return table<integer, true>
local function scrolled_off(buffer)
  local found = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local view = view_of(window)
    found[window] = view.topfill == 0 and rows_above(buffer, view.topline - 1) > 0 or nil
  end
  return found
end

--- Lets windows find out anew what they have room for: Neovim does not notice by itself that lines
--- have come between its own, which may have put the cursor out of sight. What is removed above the
--- cursor, or above line 1 where the user is at the top, is in sight.
---@param buffer integer
---@param is_off table<integer, true> the windows in which it was scrolled out of sight before
local function settle(buffer, is_off)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(vim.empty_dict())
    end)
    local view = view_of(window)
    if view.topline == view.lnum or (view.topline == 1 and not is_off[window]) then
      M.show_above(window)
    end
  end
end

--- The first change that a window shows, or the last one above.
---@param window integer
---@param comparison claude_bridge.Comparison
---@return integer index
local function first_shown(window, comparison)
  local top = vim.fn.line('w0', window)
  for index, hunk in ipairs(comparison.hunks) do
    if hunk.proposal.start + hunk.proposal.count >= top then
      return index
    end
  end
  return math.max(1, #comparison.hunks)
end

--- Draws a comparison in place of the one before: what the user sees at once, the rest while no key
--- waits.
---@param review claude_bridge.Review
---@param comparison claude_bridge.Comparison
function M.draw(review, comparison)
  local buffer = review.proposal.buffer
  local window = vim.fn.win_findbuf(buffer)[1]
  if not window then
    return
  end
  local size = removed_text.width_of(window)
  local drawing = review.inline.drawing + 1
  review.inline.drawing = drawing
  local is_off = scrolled_off(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local count, start, is_first = #comparison.hunks, first_shown(window, comparison), true
  local function slice(done)
    if review.inline.drawing ~= drawing or not vim.api.nvim_buf_is_loaded(buffer) then
      return
    end
    local enough = vim.uv.hrtime() + SLICE_NS
    while done < count and vim.uv.hrtime() < enough do
      mark(buffer, comparison.hunks[(start - 1 + done) % count + 1], comparison, size)
      done = done + 1
    end
    if is_first or done == count then
      settle(buffer, is_off)
    end
    is_first = false
    if done < count then
      vim.schedule(function()
        require('claude_bridge.review.inline').uninterrupted(review, function()
          slice(done)
        end)
      end)
    end
  end
  slice(0)
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
