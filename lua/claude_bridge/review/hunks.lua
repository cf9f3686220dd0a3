--- The single changes of a review, and how one of them is taken back. Nothing is left out of them,
--- whatever 'diffopt' hides: together they are the whole difference, the final line end included.
local M = {}

local traits = require('claude_bridge.review.traits')

---@alias claude_bridge.ReviewSide 'original'|'proposal'

--- Lines are 1-based. Where a count is 0 the change lies below the line `start`, which may be 0.
---@class claude_bridge.Hunk
---@field original { start: integer, count: integer }
---@field proposal { start: integer, count: integer }

---@class claude_bridge.Comparison
---@field hunks claude_bridge.Hunk[] from the top down
---@field original claude_bridge.ViewText
---@field proposal claude_bridge.ViewText
---@field stamp string of the texts that were compared

--- One side as it was compared last.
---@class claude_bridge.ComparedText
---@field stamp string
---@field text claude_bridge.ViewText
---@field joined string

---@param text claude_bridge.ViewText
---@return string
local function joined(text)
  local tail = text.eol and #text.lines > 0 and '\n' or ''
  return table.concat(text.lines, '\n') .. tail
end

--- 'diffopt' says how hunks are found, so that they are those that the user knows.
---@return table
local function diff_options()
  local options = { result_type = 'indices' }
  for _, item in ipairs(vim.opt.diffopt:get()) do
    options.algorithm = item:match('^algorithm:(.+)') or options.algorithm
    options.indent_heuristic = options.indent_heuristic or item == 'indent-heuristic'
  end
  return options
end

--- Neovim's comparison, under the name that it has in this version.
---@param old string
---@param new string
---@param options table
---@return integer[][]
function M.diff(old, new, options)
  local diff = vim.text and vim.text.diff or vim.diff
  return diff(old, new, options) --[[@as integer[][] ]]
end

--- Neovim's changedtick counts no change of these options.
---@param buffer integer
---@return string
local function stamp(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return '-'
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  return ('%d %d %s'):format(buffer, tick, traits.key(buffer))
end

--- Reads a side; only if it has changed.
---@param side claude_bridge.Original|claude_bridge.Proposal
---@return claude_bridge.ComparedText
local function read(side)
  local now = stamp(side.buffer)
  if side.compared and side.compared.stamp == now then
    return side.compared
  end
  -- A file that the user has unloaded meanwhile is still what the proposal is compared with.
  local text = vim.api.nvim_buf_is_loaded(side.buffer)
      and require('claude_bridge.review.proposal').read(side.buffer)
    or side.unloaded
    or { lines = {}, eol = true, bom = false, format = 'unix' }
  side.compared = { stamp = now, text = text, joined = joined(text) }
  return side.compared
end

--- Compares both sides; only if one of them has changed.
---@param review claude_bridge.Review
---@return claude_bridge.Comparison
function M.compare(review)
  traits.follow(review.proposal)
  local old, new = read(review.original), read(review.proposal)
  local now = old.stamp .. ', ' .. new.stamp
  local last = review.comparison
  if last and last.stamp == now then
    return last
  end
  local hunks = vim.tbl_map(function(indices)
    return {
      original = { start = indices[1], count = indices[2] },
      proposal = { start = indices[3], count = indices[4] },
    }
  end, M.diff(old.joined, new.joined, diff_options()))
  review.comparison = { hunks = hunks, original = old.text, proposal = new.text, stamp = now }
  return review.comparison
end

--- The line at which the cursor is on a hunk: its first, or the one below what is missing.
---@param range { start: integer, count: integer }
---@param last integer number of lines of the buffer
---@return integer
function M.line_of(range, last)
  local line = range.count == 0 and range.start + 1 or range.start
  return math.max(1, math.min(line, last))
end

--- The hunk at a line: one that has the line, else one that is missing above it or below it.
---@param hunks claude_bridge.Hunk[]
---@param line integer 1-based
---@param side claude_bridge.ReviewSide
---@return claude_bridge.Hunk?
function M.at(hunks, line, side)
  local function find(matches)
    return vim.iter(hunks):find(function(hunk)
      return matches(hunk[side])
    end)
  end
  return find(function(range)
    return line >= range.start and line < range.start + range.count
  end) or find(function(range)
    return range.count == 0 and range.start == line - 1
  end) or find(function(range)
    return range.count == 0 and range.start == line
  end)
end

--- Whether a hunk has to do with a range of lines of one side.
---@param hunk claude_bridge.Hunk
---@param side claude_bridge.ReviewSide
---@param first integer 1-based
---@param last integer inclusive
---@return boolean
function M.touches(hunk, side, first, last)
  local range = hunk[side]
  if range.count == 0 then
    -- What is missing lies between two lines and is at either.
    return first <= range.start + 1 and range.start <= last
  end
  return range.start <= last and range.start + range.count - 1 >= first
end

---@param range { start: integer, count: integer }
---@param text claude_bridge.ViewText
---@return boolean
local function is_at_end(range, text)
  return range.start + math.max(0, range.count - 1) >= #text.lines
end

--- Puts the original's lines back in place of hunks.
---@param buffer integer of the proposal
---@param comparison claude_bridge.Comparison of the texts as they are
---@param hunks claude_bridge.Hunk[] from the top down
local function put_back(buffer, comparison, hunks)
  for index = #hunks, 1, -1 do
    local old, new = hunks[index].original, hunks[index].proposal
    local lines = vim.list_slice(comparison.original.lines, old.start, old.start + old.count - 1)
    if #comparison.proposal.lines == 0 then
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    else
      local from = new.count == 0 and new.start or new.start - 1
      vim.api.nvim_buf_set_lines(buffer, from, from + new.count, false, lines)
    end
    local reaches_end = is_at_end(old, comparison.original) and is_at_end(new, comparison.proposal)
    if reaches_end and #comparison.original.lines > 0 then
      vim.bo[buffer].endofline = comparison.original.eol
    end
  end
  if #hunks == #comparison.hunks then
    vim.bo[buffer].bomb = comparison.original.bom
    vim.bo[buffer].fileformat = comparison.original.format
    if #comparison.original.lines > 0 then
      vim.bo[buffer].endofline = comparison.original.eol
    end
  end
end

--- Takes hunks back: the original's text is there in their place.
---@param review claude_bridge.Review
---@param comparison claude_bridge.Comparison of the texts as they are
---@param hunks claude_bridge.Hunk[] from the top down
function M.take_back(review, comparison, hunks)
  traits.change(review.proposal, function()
    put_back(review.proposal.buffer, comparison, hunks)
  end)
  require('claude_bridge.review.proposal').forget_modified(review.proposal.buffer)
end

return M
