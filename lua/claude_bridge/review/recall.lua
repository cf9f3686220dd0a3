--- Proposals that the user had edited and that ended without being accepted.
local M = {}

local MAX_KEPT = 10

---@class claude_bridge.KeptText
---@field path string
---@field text claude_bridge.ViewText
---@field at string clock time

---@type claude_bridge.KeptText[] the last one first
local kept = {}

---@param path string
---@param text claude_bridge.ViewText
function M.keep(path, text)
  table.insert(kept, 1, {
    path = path,
    text = text,
    at = os.date('%H:%M:%S') --[[@as string]],
  })
  kept[MAX_KEPT + 1] = nil
end

---@param entry claude_bridge.KeptText
local function show(entry)
  local buffer = vim.api.nvim_create_buf(false, true)
  local text, options = entry.text, vim.bo[buffer]
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, text.lines)
  options.fileformat, options.endofline, options.bomb = text.format, text.eol, text.bom
  local name = vim.fs.basename(entry.path):gsub('%c', '?')
  vim.api.nvim_buf_set_name(buffer, ('claudebridge://recalled/%d/%s'):format(buffer, name))
  -- Written somewhere it is to have these bytes and no others.
  options.fixendofline = false
  options.bufhidden = 'wipe'
  options.syntax = vim.filetype.match({ filename = entry.path, buf = buffer }) or ''
  vim.cmd(('sbuffer %d'):format(buffer))
end

--- Shows the text of the last such proposal, or asks which where there are several.
function M.recall()
  if #kept == 0 then
    require('claude_bridge.ui').notify({
      level = 'info',
      message = 'no edited proposal is kept: only one that you changed and did not accept is',
    })
  elseif #kept == 1 then
    show(kept[1])
  else
    vim.ui.select(kept, {
      prompt = 'Text of which proposal?',
      format_item = function(entry)
        return ('%s  %s'):format(entry.at, entry.path)
      end,
    }, function(entry)
      if entry then
        show(entry)
      end
    end)
  end
end

return M
