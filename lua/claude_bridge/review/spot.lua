--- Where in its tabpage a window is, so that another can take its place after it has closed.
local M = {}

---@class claude_bridge.WindowSpot
---@field beside integer a neighbour; -1 for the whole tabpage
---@field side 'left'|'right'|'above'|'below' of it

---@alias claude_bridge.LayoutNode [string, any] as winlayout() tells

---@class claude_bridge.LayoutParent
---@field kind 'row'|'col'
---@field nodes claude_bridge.LayoutNode[]
---@field index integer of the window
---@field is_root boolean

---@param node claude_bridge.LayoutNode
---@param window integer
---@param is_root boolean
---@return claude_bridge.LayoutParent?
local function parent_of(node, window, is_root)
  for index, child in ipairs(node[1] == 'leaf' and {} or node[2]) do
    if child[1] == 'leaf' and child[2] == window then
      return { kind = node[1], nodes = node[2], index = index, is_root = is_root }
    end
    local found = parent_of(child, window, false)
    if found then
      return found
    end
  end
end

---@param node claude_bridge.LayoutNode
---@return integer window
local function first_leaf(node)
  return node[1] == 'leaf' and node[2] or first_leaf(node[2][1])
end

--- Several windows can be split as a whole only where they are the whole tabpage.
---@param window integer
---@return claude_bridge.WindowSpot? nil for the only window
function M.of(window)
  local number = vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(window))
  local parent = parent_of(vim.fn.winlayout(number), window, true)
  if not parent then
    return nil
  end
  local before, after = parent.nodes[parent.index - 1], parent.nodes[parent.index + 1]
  local ahead = parent.kind == 'row' and 'left' or 'above'
  local behind = parent.kind == 'row' and 'right' or 'below'
  if before and before[1] == 'leaf' then
    return { beside = before[2], side = behind }
  elseif after and after[1] == 'leaf' then
    return { beside = after[2], side = ahead }
  elseif parent.is_root and not (before and after) then
    return { beside = -1, side = before and behind or ahead }
  end
  return { beside = first_leaf(before or after), side = before and behind or ahead }
end

---@param spot? claude_bridge.WindowSpot
---@param tiled integer[] the windows of the tabpage
---@param side 'above'|'below' of any of them, where it is not known
---@return integer beside
---@return 'left'|'right'|'above'|'below' side
function M.find(spot, tiled, side)
  if spot and (spot.beside == -1 or vim.tbl_contains(tiled, spot.beside)) then
    return spot.beside, spot.side
  end
  return tiled[1], side
end

return M
