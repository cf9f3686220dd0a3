--- The user's word on code that an agent wants to run, asked without waiting for it, and the
--- commands for the kernel.
local M = {}

local HINT = ' :ClaudeKernelAllow   :ClaudeKernelRefuse '
local MAX_LINES = 15

---@class claude_bridge.CodeQuestion
---@field id string
---@field path string of the notebook
---@field kernel string for the user's eyes
---@field code string

--- Open questions, the one on show first.
---@type claude_bridge.CodeQuestion[]
local questions = {}
---@type integer?
local window

local function close_window()
  local closing = window
  window = nil
  if closing and vim.api.nvim_win_is_valid(closing) then
    vim.api.nvim_win_close(closing, true)
  end
end

---@param buffer integer
---@param question claude_bridge.CodeQuestion
local function on_close(buffer, question)
  require('claude_bridge.autocmd').create('BufWipeout', {
    buffer = buffer,
    once = true,
    callback = vim.schedule_wrap(function()
      -- Closed by the user: to look away is no leave.
      if questions[1] == question and window then
        M.refuse()
      end
    end),
  })
end

---@param question claude_bridge.CodeQuestion
---@return integer buffer
local function fill_buffer(question)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(question.code, '\r?\n'))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'claude_bridge_code'
  vim.keymap.set('n', 'a', M.allow, { buffer = buffer, nowait = true, desc = 'Run the code' })
  vim.keymap.set('n', 'r', M.refuse, { buffer = buffer, nowait = true, desc = 'Refuse the code' })
  return buffer
end

--- Shows the first question, without taking the cursor: a key typed meanwhile must not answer it.
local function show()
  local question = questions[1]
  if not question or window then
    return
  end
  local buffer = fill_buffer(question)
  local width = math.max(1, math.min(76, vim.o.columns - 4))
  local height = math.min(vim.api.nvim_buf_line_count(buffer), MAX_LINES, vim.o.lines - 6)
  window = vim.api.nvim_open_win(buffer, false, {
    relative = 'editor',
    anchor = 'NE',
    row = 1,
    col = vim.o.columns - 1,
    width = width,
    height = math.max(1, height),
    style = 'minimal',
    border = 'rounded',
    title = (' Run this code in %s? '):format(question.kernel),
    title_pos = 'center',
    footer = HINT,
    footer_pos = 'center',
    zindex = 60,
  })
  vim.wo[window].wrap = true
  on_close(buffer, question)
  require('claude_bridge.ui').notify({
    level = 'info',
    message = ('an agent wants to run code: :ClaudeKernelAllow or :ClaudeKernelRefuse (%s)'):format(
      question.kernel
    ),
  })
end

--- With the node process those are gone who would hear the answers.
local function watch_process()
  require('claude_bridge.autocmd').create('User', {
    group = vim.api.nvim_create_augroup('ClaudeBridgeKernel', { clear = true }),
    pattern = 'ClaudeBridgeStopped',
    once = true,
    callback = function()
      questions = {}
      close_window()
    end,
  })
end

--- Asks, and returns before the answer.
---@param question claude_bridge.CodeQuestion
function M.ask(question)
  if #vim.api.nvim_list_uis() == 0 then
    error({
      code = 'refused',
      message = 'Nobody is there to allow this code: Neovim has no user interface. The option kernel.allow = "always" lets agents run code unasked.',
    })
  end
  watch_process()
  questions[#questions + 1] = question
  local shown, problem = pcall(show)
  if not shown then
    table.remove(questions)
    error(problem, 0)
  end
end

--- Takes a question away whose call has ended. Unknown ids are no error.
---@param params { id: string }
function M.withdraw(params)
  local on_show = questions[1] and questions[1].id == params.id
  questions = vim.tbl_filter(function(question)
    return question.id ~= params.id
  end, questions)
  if on_show then
    close_window()
    show()
  end
end

---@param allowed boolean
local function answer(allowed)
  local question = table.remove(questions, 1)
  if not question then
    error({ message = 'no agent asks to run code' })
  end
  close_window()
  require('claude_bridge.channel').notify({
    kind = 'code_answer',
    id = question.id,
    allowed = allowed,
  })
  show()
end

--- Lets the session that asks run this code and what it runs later.
function M.allow()
  answer(true)
end

--- Refuses this code; the session's next code is asked for again.
function M.refuse()
  answer(false)
end

---@param action 'restart'|'interrupt'|'stop'
local function command(action)
  local sent = require('claude_bridge.channel').notify({
    kind = 'kernel_command',
    action = action,
    notebook = require('claude_bridge.notebook').current(),
  })
  if not sent then
    error({ message = 'the bridge does not run, so no kernel does' })
  end
end

--- Starts the kernel of the current notebook afresh; its state is lost.
function M.restart()
  command('restart')
end

--- Stops the code that runs there.
function M.interrupt()
  command('interrupt')
end

--- Ends the kernel, or leaves it where it was joined.
function M.stop()
  command('stop')
  if require('claude_bridge.notebook').find() then
    require('claude_bridge.notebook').join(nil)
  end
end

return M
