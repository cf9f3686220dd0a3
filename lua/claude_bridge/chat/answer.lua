--- Answers from anywhere, by a command or a map: to the question that is on show.
local M = {}

---@return claude_bridge.ChatAsk ask, claude_bridge.ChatAskKind kind, claude_bridge.ChatAct act
local function shown()
  local asks = require('claude_bridge.chat.asks')
  local ask = asks.first()
  if not ask then
    error({ message = 'nothing waits for an answer' })
  end
  local act = {
    answer = function(fields)
      asks.answer(ask, fields)
    end,
  }
  return ask, asks.kind(ask.prompt), act
end

--- Decides on a permission or a plan. One that has been put off is shown first.
---@param kind 'allow-once'|'allow-always'|'reject-once'|'reject-always'
---@param reason? string
function M.decide(kind, reason)
  local ask, handler, act = shown()
  -- Nobody says yes to what is not on the screen.
  if not require('claude_bridge.chat.desk').is_on_show(ask) then
    require('claude_bridge.chat.desk').recall()
    return
  end
  if not handler.decide then
    error({ message = ('%s asks for an answer: :ClaudeSessionAnswer'):format(ask.session) })
  end
  handler.decide(ask, act, kind, reason)
end

--- Answers a question by a text; without one, goes to the question.
---@param text? string
function M.reply(text)
  local ask, handler, act = shown()
  if not text then
    require('claude_bridge.chat.desk').recall()
    return
  end
  if not handler.reply then
    error({ message = ('%s does not ask for a text'):format(ask.session) })
  end
  handler.reply(ask, text, act)
end

return M
