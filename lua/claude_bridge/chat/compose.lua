--- Where the user writes to one session. What is typed here is never lost: it stays until node has
--- taken it, survives the buffer, and comes back when nobody got it.
---@class claude_bridge.ChatCompose
---@field private session string
---@field private buf? integer
---@field private draft string[] the text while there is no buffer
---@field private files { path: string, first?: integer, last?: integer }[] go with the next text
---@field private sent { id?: string, text: string }[] nobody is known to have got these
local Compose = {}
Compose.__index = Compose

local api = vim.api

---@param session string
---@return claude_bridge.ChatCompose
function Compose.new(session)
  return setmetatable({ session = session, draft = { '' }, files = {}, sent = {} }, Compose)
end

---@return boolean
function Compose:is_alive()
  return self.buf ~= nil and api.nvim_buf_is_loaded(self.buf)
end

---@return integer
function Compose:buffer()
  if not self:is_alive() then
    self.buf = require('claude_bridge.chat.buffer').create(self.session, 'claude_bridge_prompt')
    require('claude_bridge.chat.keys').compose(self.buf)
    api.nvim_buf_set_lines(self.buf, 0, -1, true, self.draft)
    require('claude_bridge.autocmd').create('BufUnload', {
      buffer = self.buf,
      callback = function(args)
        self.draft = api.nvim_buf_get_lines(args.buf, 0, -1, false)
        -- `:edit` loads the buffer again, and there is no file that it could come from.
        vim.schedule(function()
          if self:is_alive() and table.concat(self:lines()) == '' then
            self:set_lines(self.draft)
          end
        end)
      end,
    })
  end
  return self.buf
end

---@return string[]
function Compose:lines()
  return self:is_alive() and api.nvim_buf_get_lines(self.buf, 0, -1, true) or self.draft
end

---@param lines string[]
function Compose:set_lines(lines)
  if self:is_alive() then
    api.nvim_buf_set_lines(self.buf, 0, -1, true, lines)
  else
    self.draft = lines
  end
end

--- Puts text before what is there; the cursor stays at what the user writes.
---@param text string
function Compose:prepend(text)
  local lines, old = vim.split(text, '\n', { plain = true }), self:lines()
  if #old == 1 and old[1] == '' then
    self:set_lines(lines)
  elseif self:is_alive() then
    api.nvim_buf_set_lines(self.buf, 0, 0, true, lines)
  else
    self.draft = vim.list_extend(lines, old)
  end
end

---@param matches fun(sent: { id?: string, text: string }): boolean
---@return integer? index
function Compose:under_way(matches)
  for index, sent in ipairs(self.sent) do
    if matches(sent) then
      return index
    end
  end
end

--- Takes back what the agent will not get.
---@param text string
function Compose:give_back(text)
  local index = self:under_way(function(sent)
    return sent.text == text
  end)
  if index then
    table.remove(self.sent, index)
  end
  self:prepend(text)
end

--- A text is in the conversation; while it is queued there, node still has it to send.
---@param id string
---@param delivery? string
---@param text? string
function Compose:delivered(id, delivery, text)
  local index = self:under_way(function(sent)
    return sent.id == id
  end) or self:under_way(function(sent)
    return sent.id == nil and sent.text == text
  end)
  if index and delivery == 'queued' then
    self.sent[index].id = id
  elseif index then
    table.remove(self.sent, index)
  end
end

--- Learns from the conversation what node has handed over.
---@param op table
function Compose:heard(op)
  if op.op == 'put' and op.entry.kind == 'user' then
    self:delivered(op.entry.id, op.entry.delivery, op.entry.text)
  elseif op.op == 'patch' and op.fields.delivery then
    self:delivered(op.id, op.fields.delivery)
  end
end

--- Node is gone, and with it what it still had to send.
function Compose:recover()
  local texts = vim.tbl_map(function(sent)
    return sent.text
  end, self.sent)
  self.sent = {}
  if #texts > 0 then
    self:prepend(table.concat(texts, '\n'))
  end
end

---@param file { path: string, first?: integer, last?: integer } absolute; lines 0-based
function Compose:attach(file)
  table.insert(self.files, file)
  require('claude_bridge.chat.status').changed()
end

function Compose:detach()
  self.files = {}
  require('claude_bridge.chat.status').changed()
end

---@return string[] what goes with the next text, for people
function Compose:labels()
  return vim.tbl_map(function(file)
    local path = require('claude_bridge.chat.format').path(file.path)
    return file.first and ('%s:%d-%d'):format(path, file.first + 1, file.last + 1) or path
  end, self.files)
end

--- Hands a text to node. Where node does not run it is not taken.
---@param text string
---@return boolean sent
function Compose:submit(text)
  local files = vim.list_extend(
    vim.deepcopy(self.files),
    require('claude_bridge.chat.mentions').files(text, self.files)
  )
  local sent = require('claude_bridge.channel').notify({
    kind = 'chat_send',
    session = self.session,
    text = text,
    attachments = #files > 0 and files or nil,
  })
  if sent then
    table.insert(self.sent, { text = text })
    require('claude_bridge.chat.history').add(text)
    self:detach()
  end
  return sent
end

--- Sends what is in the buffer.
function Compose:send()
  local text = vim.trim(table.concat(self:lines(), '\n'))
  if text == '' and #self.files == 0 then
    return
  end
  if not self:submit(text) then
    error({ message = 'the bridge does not run; your text stays in the prompt buffer' })
  end
  self:set_lines({ '' })
end

return Compose
