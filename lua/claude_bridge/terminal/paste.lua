--- One paste of the user is one paste to the agent. Neovim before 0.12.2 gives a terminal each part of
--- a long one as a paste of its own, and agents show as many attachments.
local M = {}

local is_installed = false

---@type string[]?
local parts

---@param lines string[] of the next part; the first goes on with the last of the part before
local function add(lines)
  if not parts then
    parts = vim.list_slice(lines)
    return
  end
  parts[#parts] = parts[#parts] .. (lines[1] or '')
  vim.list_extend(parts, lines, 2)
end

--- Joins what is pasted in parts into terminals of agents. Other buffers get it as it comes.
function M.join()
  if is_installed or vim.fn.has('nvim-0.12.2') == 1 then
    return
  end
  is_installed = true
  local before = vim.paste
  vim.paste = function(lines, phase)
    if phase < 1 or not (parts or vim.b.claude_bridge_terminal) then
      return before(lines, phase)
    end
    if phase == 1 then
      parts = nil
    end
    add(lines)
    if phase < 3 then
      return true
    end
    local whole = parts
    parts = nil
    return before(whole, -1)
  end
end

return M
