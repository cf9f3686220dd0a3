--- The nearest known name for a misspelt option.
local M = {}

--- Edits that turn one text into the other.
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local previous = {}
  for column = 0, #b do
    previous[column] = column
  end
  for row = 1, #a do
    local current = { [0] = row }
    for column = 1, #b do
      local cost = a:byte(row) == b:byte(column) and 0 or 1
      current[column] =
        math.min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + cost)
    end
    previous = current
  end
  return previous[#b]
end

local function last_part(path)
  return path:match('[^.]+$')
end

---@param path string as the user wrote it
---@param known string[]
---@return string? path
function M.nearest(path, known)
  local best, best_distance
  for _, candidate in ipairs(known) do
    -- Right name, wrong group.
    local d = last_part(candidate) == last_part(path) and 1 or distance(path, candidate)
    if not best_distance or d < best_distance then
      best, best_distance = candidate, d
    end
  end
  return best_distance and best_distance <= math.max(2, math.floor(#path / 4)) and best or nil
end

return M
