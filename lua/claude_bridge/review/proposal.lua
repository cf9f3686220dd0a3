--- The right side of a review: a buffer with the proposed text, which is never "modified", so that
--- nothing but a write on purpose accepts it and no command asks for a `!`.
local M = {}

--- Options of the file's buffer by which the proposal is edited and looks like it.
local EDITING =
  { 'tabstop', 'shiftwidth', 'softtabstop', 'expandtab', 'commentstring', 'textwidth' }

---@class claude_bridge.Proposal
---@field buffer integer
---@field name string of the buffer; writing to this name accepts
---@field tick? integer changedtick with the proposal as it came
---@field traits? string the options that belong to the text, as they came
---@field compared? claude_bridge.ComparedText
---@field steps? claude_bridge.TraitStep[] the oldest first
---@field slices integer how many slices of lines have come
---@field ends claude_bridge.LineEnds as they came
---@field form claude_bridge.LineEndForm

---@class claude_bridge.ViewText
---@field lines string[]
---@field eol boolean the last line has a line end
---@field bom boolean
---@field format 'unix'|'dos'|'mac' which line ends it has, which the lines do not show

--- A proposal without its lines.
---@class claude_bridge.ProposedText
---@field eol boolean
---@field bom boolean
---@field ends claude_bridge.LineEnds

--- Text on its way to the node side. The lines are joined, each with a line break before it: a
--- string that starts with a byte order mark would lose it in decoding.
---@class claude_bridge.WireText
---@field lines string
---@field eol boolean
---@field bom boolean
---@field format 'unix'|'dos'|'mac'

local traits = require('claude_bridge.review.traits')

---@param buffer integer
function M.forget_modified(buffer)
  if vim.api.nvim_buf_is_valid(buffer) and vim.bo[buffer].modified then
    vim.bo[buffer].modified = false
  end
end

--- Keeps the buffer unmodified through every change. Undo sets the option after it has told of the
--- lines; the change of the tick comes last.
---@param buffer integer
local function keep_unmodified(buffer)
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      M.forget_modified(buffer)
    end,
    on_changedtick = function()
      M.forget_modified(buffer)
    end,
  })
end

--- Makes the hidden buffer, without text as yet.
---@param id string
---@param path string
---@param text claude_bridge.ProposedText
---@param form claude_bridge.LineEndForm
---@return claude_bridge.Proposal
function M.create(id, path, text, form)
  local base = vim.fs.basename(path):gsub('%c', '?')
  local name = ('claudebridge://%s/%s'):format(id, base)
  local buffer = vim.api.nvim_create_buf(false, true)
  local options = vim.bo[buffer]
  options.buftype = 'acwrite'
  options.bufhidden = 'hide'
  options.undofile = false
  options.undolevels = -1
  options.fileformat = form.format
  options.endofline = text.eol
  options.bomb = text.bom
  vim.b[buffer].claude_bridge_review = id
  -- By this vim-auto-save skips a buffer; others look at 'modified'.
  vim.b[buffer].auto_save = 0
  vim.api.nvim_buf_set_name(buffer, name)
  return {
    buffer = buffer,
    name = name,
    slices = 0,
    ends = text.ends,
    form = form,
  }
end

--- Appends lines to the hidden buffer.
---@param proposal claude_bridge.Proposal
---@param lines string[]
---@param is_end boolean no lines follow
function M.fill(proposal, lines, is_end)
  local line_ends = require('claude_bridge.review.line_ends')
  if proposal.ends == 'dos' and proposal.form.format == 'unix' then
    lines = line_ends.with_cr(lines, is_end and not vim.bo[proposal.buffer].endofline)
  elseif proposal.ends == 'mac' and proposal.form.format == 'mac' then
    lines, vim.bo[proposal.buffer].endofline = line_ends.split_at_cr(lines)
  end
  -- A new buffer has one line, which the first lines replace.
  local start = proposal.slices > 0 and -1 or 0
  vim.api.nvim_buf_set_lines(proposal.buffer, start, -1, false, lines)
  proposal.slices = proposal.slices + 1
end

--- From here on changes are the user's.
---@param proposal claude_bridge.Proposal
---@param original claude_bridge.Original
---@param editable boolean
function M.seal(proposal, original, editable)
  local options = vim.bo[proposal.buffer]
  for _, name in ipairs(original.owned and {} or EDITING) do
    options[name] = vim.bo[original.buffer][name]
  end
  -- The value that stands for "as the global option says".
  options.undolevels = -123456
  options.modified = false
  options.modifiable = editable
  proposal.tick = vim.api.nvim_buf_get_changedtick(proposal.buffer)
  proposal.traits = traits.key(proposal.buffer)
  keep_unmodified(proposal.buffer)
end

--- Whether the user has changed the text. An edit that was undone counts until it is compared.
---@param proposal claude_bridge.Proposal
---@return boolean
function M.is_touched(proposal)
  return vim.api.nvim_buf_is_loaded(proposal.buffer)
    and (
      vim.api.nvim_buf_get_changedtick(proposal.buffer) ~= proposal.tick
      or traits.key(proposal.buffer) ~= proposal.traits
    )
end

--- Whether the buffer holds no line, not even an empty one.
---@param buffer integer
---@return boolean
function M.is_empty(buffer)
  local count = vim.api.nvim_buf_line_count(buffer)
  if count ~= 1 or vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] ~= '' then
    return count == 0
  end
  return vim.api.nvim_buf_call(buffer, function()
    return vim.fn.wordcount().bytes
  end) == 0
end

---@param buffer integer
---@return claude_bridge.ViewText
function M.read(buffer)
  local is_empty = M.is_empty(buffer)
  local lines = is_empty and {} or vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local options = vim.bo[buffer]
  return {
    lines = lines,
    eol = options.endofline,
    bom = options.bomb,
    format = options.fileformat,
  }
end

---@param text claude_bridge.ViewText
---@return claude_bridge.WireText
function M.to_wire(text)
  local joined = #text.lines > 0 and '\n' .. table.concat(text.lines, '\n') or ''
  return { lines = joined, eol = text.eol, bom = text.bom, format = text.format }
end

--- The text as bytes of a file.
---@param text claude_bridge.ViewText
---@return string
function M.to_bytes(text)
  return (text.bom and '\239\187\191' or '')
    .. require('claude_bridge.review.line_ends').joined(text)
end

--- Puts text back after Neovim has unloaded the buffer under a window (`:edit!`).
---@param proposal claude_bridge.Proposal
---@param text claude_bridge.ViewText
function M.refill(proposal, text)
  vim.api.nvim_buf_set_lines(proposal.buffer, 0, -1, false, text.lines)
  traits.set(proposal.buffer, {
    endofline = text.eol,
    bomb = text.bom,
    fileformat = text.format,
  })
  -- The undo tree begins anew.
  proposal.steps = nil
  M.forget_modified(proposal.buffer)
  keep_unmodified(proposal.buffer)
end

return M
