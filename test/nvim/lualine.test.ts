/** The component for lualine: the real one where `CLAUDE_BRIDGE_PLUGINS` has it, else its class. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';

let nvim: TestNvim;
beforeEach(async () => {
  nvim = await startNvim({ ui: true });
});
afterEach(() => nvim.dispose());

const real = path.join(process.env['CLAUDE_BRIDGE_PLUGINS'] ?? '', 'lualine.nvim');

/** What lualine shows: the text, or '' where it leaves the component out. */
const SHOWN = fs.existsSync(path.join(real, 'lua/lualine'))
  ? `if not package.loaded.lualine then
      vim.opt.rtp:append('${real}')
      require('lualine').setup({ options = { icons_enabled = false }, sections = {
        lualine_a = {}, lualine_b = {}, lualine_c = {}, lualine_y = {}, lualine_z = {},
        lualine_x = { 'claude_bridge' } } })
    end
    require('lualine').refresh({ force = true })
    return vim.trim(vim.api.nvim_eval_statusline(vim.o.statusline, {}).str)`
  : `package.loaded['lualine.component'] = { extend = function(super)
      local class = { super = super }
      return setmetatable(class, { __index = super })
    end, init = function(self, options) self.options = options end }
    local class = dofile(vim.api.nvim_get_runtime_file('lua/lualine/components/claude_bridge.lua', false)[1])
    local component = setmetatable({}, { __index = class })
    component:init({})
    return component:update_status()`;
const shown = () => nvim.lua<string>(SHOWN);
const session = (call: string) => nvim.lua(`require('claude_bridge.session').${call}`);

test('shows nothing, and loads nothing, before the bridge is used', async () => {
  expect(await shown()).toBe('');
  expect(await nvim.lua(`return package.loaded['claude_bridge.statusline']`)).toBeNull();
});

test('shows what the status line function tells', async () => {
  await session(`ready({ port = 4711, token = 'token', lock_files = {} })`);
  await session(`state({ clients = { { id = 'a' } }, reviews = { {} } })`);
  expect(await shown()).toBe('Claude 1, 1 review');
  await session(`stopped()`);
  expect(await shown()).toBe('');
});
