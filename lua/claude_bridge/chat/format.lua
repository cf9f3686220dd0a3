--- Numbers and paths for people.
local M = {}

---@param count integer
---@return string
function M.bytes(count)
  if count < 1000 then
    return ('%d bytes'):format(count)
  end
  if count < 1000000 then
    return ('%.0f kB'):format(count / 1000)
  end
  return ('%.1f MB'):format(count / 1000000)
end

---@param count integer
---@return string
function M.count(count)
  if count < 1000 then
    return ('%d'):format(count)
  end
  if count < 1000000 then
    return ('%.0fk'):format(count / 1000)
  end
  return ('%.1fM'):format(count / 1000000)
end

---@param ms number
---@return string
function M.duration(ms)
  if ms < 1000 then
    return ('%d ms'):format(ms)
  end
  if ms < 60000 then
    return ('%.1f s'):format(ms / 1000)
  end
  return ('%d min %d s'):format(math.floor(ms / 60000), math.floor(ms % 60000 / 1000))
end

---@param amount number
---@param currency string
---@return string
function M.money(amount, currency)
  local sign = currency == 'USD' and '$' or ''
  local text = ('%s%.2f'):format(sign, amount)
  return sign == '' and text .. ' ' .. currency or text
end

---@param path string absolute
---@return string relative to the working directory where it is below that
function M.path(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

return M
