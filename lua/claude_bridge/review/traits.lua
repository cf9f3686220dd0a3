--- Line ends, byte order mark and final line end: parts of a text that a buffer holds as options.
--- Neovim's undo knows nothing of them.
local M = {}

local OPTIONS = { 'fileformat', 'endofline', 'bomb' }

---@alias claude_bridge.Traits table<string, string|boolean> by the names of the options

--- A change of the text that has changed these options too.
---@class claude_bridge.TraitStep
---@field seq integer of the undo tree
---@field before claude_bridge.Traits
---@field after claude_bridge.Traits
---@field is_done boolean false while it is undone

---@param buffer integer
---@return claude_bridge.Traits
local function get(buffer)
  local traits = {}
  for _, name in ipairs(OPTIONS) do
    traits[name] = vim.bo[buffer][name]
  end
  return traits
end

---@param buffer integer
---@param traits claude_bridge.Traits
function M.set(buffer, traits)
  for name, value in pairs(traits) do
    if vim.bo[buffer][name] ~= value then
      vim.bo[buffer][name] = value
    end
  end
end

---@param buffer integer
---@return string
function M.key(buffer)
  local options = vim.bo[buffer]
  return ('%s %s %s'):format(options.fileformat, options.endofline, options.bomb)
end

--- Runs a change of the text that may change these options, so that undo can take them along.
---@param proposal claude_bridge.Proposal
---@param change fun()
function M.change(proposal, change)
  local buffer = proposal.buffer
  local before = get(buffer)
  change()
  local after = get(buffer)
  if not vim.deep_equal(before, after) then
    proposal.steps = proposal.steps or {}
    table.insert(proposal.steps, {
      seq = vim.fn.undotree(buffer).seq_cur,
      before = before,
      after = after,
      is_done = true,
    })
  end
end

--- Takes the options along where the user has undone or redone such a change since. To be called
--- before the text is read.
---@param proposal claude_bridge.Proposal
function M.follow(proposal)
  local steps, buffer = proposal.steps, proposal.buffer
  if not steps then
    return
  end
  local tree = vim.fn.undotree(buffer)
  local applied = {}
  for _, entry in ipairs(tree.entries) do
    applied[entry.seq] = entry.seq <= tree.seq_cur
  end
  for index = #steps, 1, -1 do
    local step = steps[index]
    if step.is_done and not applied[step.seq] then
      step.is_done = false
      M.set(buffer, step.before)
    end
  end
  for _, step in ipairs(steps) do
    if not step.is_done and applied[step.seq] then
      step.is_done = true
      M.set(buffer, step.after)
    end
  end
end

return M
