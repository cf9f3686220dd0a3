/** Stands in for the node process, for tests of the Lua side alone. */
import type { TestNvim } from './nvim.ts';

const DOUBLE = `
  local function ready()
    require('claude_bridge.environment').apply({ variables = { CLAUDE_CODE_SSE_PORT = '4711' } })
    require('claude_bridge.session').ready({ port = 4711, token = 'secret-token', lock_files = {} })
  end
  _G.host_calls = {}
  local function note(name, after)
    return function()
      table.insert(_G.host_calls, name)
      if after then vim.schedule(after) end
      return true
    end
  end
  package.loaded['claude_bridge.host'] = {
    start = note('start', ready),
    stop = note('stop', function() require('claude_bridge.session').stopped() end),
    restart = note('restart'),
    mark_ready = function() end,
    mark_failed = function() end,
  }
`;

/** Every start of the bridge succeeds at once; `host_calls` in Lua has what was asked. */
export async function doubleHost(nvim: TestNvim): Promise<void> {
  await nvim.lua(DOUBLE);
}

export const hostCalls = (nvim: TestNvim) => nvim.lua<string[]>('return _G.host_calls');
