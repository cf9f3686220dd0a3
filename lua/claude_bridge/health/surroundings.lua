--- Health: environment variables, proxies and the terminal provider.
local M = {}

local health = vim.health

local PROXIES =
  { 'http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY' }

local function check_variables()
  local info = require('claude_bridge.session').info()
  local port = vim.env.CLAUDE_CODE_SSE_PORT
  local option = require('claude_bridge.config').get().environment
  if info.state ~= 'ready' then
    if port then
      health.info(
        ('CLAUDE_CODE_SSE_PORT=%s comes from outside: agents started here now look for that editor'):format(
          port
        )
      )
    end
  elseif port == tostring(info.port) then
    health.ok(
      'CLAUDE_CODE_SSE_PORT=' .. port .. ': agents in terminals of Neovim connect by themselves'
    )
  elseif not option then
    health.info(
      'The option `environment` is off: only :ClaudeBridgeTerminal connects by itself; elsewhere type /ide'
    )
  else
    local text = 'CLAUDE_CODE_SSE_PORT is %s, but the bridge listens on %d'
    health.warn(text:format(port or 'not set', info.port), {
      'Something has changed it since the start: run :ClaudeBridgeRestart.',
    })
  end
end

local function check_proxies()
  local set = vim.tbl_filter(function(name)
    return (vim.env[name] or '') ~= ''
  end, PROXIES)
  if #set == 0 then
    health.ok('No proxy is set')
    return
  end
  local exempt = ',' .. (vim.env.no_proxy or vim.env.NO_PROXY or ''):gsub('%s', '') .. ','
  if exempt == ',*,' or exempt:find(',127.0.0.1,', 1, true) then
    health.ok(
      ('A proxy is set (%s), and loopback addresses are exempt'):format(table.concat(set, ', '))
    )
  else
    health.warn(
      ('A proxy is set (%s): an agent may try to reach this editor through it'):format(
        table.concat(set, ', ')
      ),
      {
        'Start the bridge with the option `environment` on, which exempts the loopback addresses.',
        'For agents outside Neovim: export no_proxy=localhost,127.0.0.1,::1',
      }
    )
  end
end

local function check_config_dir()
  local folder = vim.env.CLAUDE_CONFIG_DIR
  if (folder or '') ~= '' then
    health.info(
      ('CLAUDE_CONFIG_DIR=%s: the lock file is in its folder ide/. An agent needs the same value'):format(
        folder
      )
    )
  end
end

---@param terminal claude_bridge.TerminalConfig
local function check_typing(terminal)
  local is_outside = terminal.provider == 'external' or terminal.provider == 'none'
  if is_outside and not terminal.send then
    health.info(
      'Nothing can be typed into agents outside Neovim (:ClaudeSendText, the reason of :ClaudeDiffReject): option `terminal.send`, see :help claude_bridge-recipe-tmux'
    )
  end
end

local function check_provider()
  local config = require('claude_bridge.config').get().terminal
  local name = type(config.provider) == 'table' and 'one of your own' or config.provider
  health.info('Terminal provider: ' .. name)
  check_typing(config)
  if config.provider == 'snacks' and not pcall(require, 'snacks') then
    health.error('The provider `snacks` needs snacks.nvim, which is not installed', {
      'Install it, or set the option `terminal.provider` to another one.',
    })
  end
  if config.provider == 'external' and not config.external then
    health.error('The provider `external` needs the option `terminal.external`', {
      "For example: terminal = { provider = 'external', external = { 'tmux', 'split-window', '-h', '-c', '{cwd}' } }",
    })
  end
end

local function check_sharing()
  local config = require('claude_bridge.config').get()
  if not require('claude_bridge.sharing').is_on() then
    health.info('Agents are told nothing of open files and the selection (:ClaudeSharing on)')
  end
  if not config.privacy.enabled then
    health.warn('The option `privacy.enabled` is off: files such as .env are told of as any other')
  end
end

function M.check()
  check_sharing()
  check_variables()
  check_proxies()
  check_config_dir()
  check_provider()
end

return M
