import { afterEach, expect, test } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';

let nvim: TestNvim | undefined;
afterEach(() => nvim?.dispose());

const NAMES = ['CLAUDE_CODE_SSE_PORT', 'ENABLE_IDE_INTEGRATION', 'no_proxy', 'NO_PROXY'];
const VARIABLES = `{ variables = { CLAUDE_CODE_SSE_PORT = '4711', ENABLE_IDE_INTEGRATION = 'true' } }`;
const LOOPBACK = 'localhost,127.0.0.1,::1';

async function start(env: Record<string, string> = {}) {
  nvim = await startNvim({ env });
  return nvim;
}
/** As a child process would see them: unset is absent, empty is ''. */
const read = (of: TestNvim) =>
  of.lua<Record<string, string>>(
    `local found = vim.empty_dict()
     for _, name in ipairs(...) do found[name] = vim.uv.os_getenv(name) end
     return found`,
    [NAMES],
  );
const apply = (of: TestNvim) => of.lua(`require('claude_bridge.environment').apply(${VARIABLES})`);
const restore = (of: TestNvim) => of.lua(`require('claude_bridge.environment').restore()`);
const forAgent = (of: TestNvim) =>
  of.lua<Record<string, string>>(`return require('claude_bridge.environment').for_agent()`);

test('sets the variables and takes them away again', async () => {
  const of = await start();
  await apply(of);
  expect(await read(of)).toEqual({
    CLAUDE_CODE_SSE_PORT: '4711',
    ENABLE_IDE_INTEGRATION: 'true',
    no_proxy: LOOPBACK,
    NO_PROXY: LOOPBACK,
  });
  await restore(of);
  expect(await read(of)).toEqual({});
});

test('what was there comes back exactly, also an empty value', async () => {
  const before = {
    CLAUDE_CODE_SSE_PORT: '1',
    ENABLE_IDE_INTEGRATION: '',
    NO_PROXY: 'corp.example',
  };
  const of = await start(before);
  await apply(of);
  await restore(of);
  expect(await read(of)).toEqual(before);
});

test('applied twice, the first values come back', async () => {
  const of = await start({ CLAUDE_CODE_SSE_PORT: '1' });
  await apply(of);
  await apply(of);
  await restore(of);
  expect(await read(of)).toEqual({ CLAUDE_CODE_SSE_PORT: '1' });
  await restore(of);
  expect(await read(of)).toEqual({ CLAUDE_CODE_SSE_PORT: '1' });
});

test('what an earlier start has set and this one does not is gone', async () => {
  const of = await start();
  await of.lua(
    `require('claude_bridge.environment').apply({ variables = { CLAUDE_CODE_SSE_PORT = '1' } })`,
  );
  await of.lua(
    `require('claude_bridge.environment').apply({ variables = { ENABLE_IDE_INTEGRATION = 'true' } })`,
  );
  expect(await read(of)).not.toHaveProperty('CLAUDE_CODE_SSE_PORT');
});

test("a variable that the user changed meanwhile stays the user's", async () => {
  const of = await start();
  await apply(of);
  await of.lua(`vim.env.no_proxy = 'mine'; vim.env.ENABLE_IDE_INTEGRATION = nil`);
  await restore(of);
  expect(await read(of)).toEqual({ no_proxy: 'mine' });
});

test.each([
  [{ no_proxy: 'corp.example' }, `corp.example,${LOOPBACK}`],
  [{ NO_PROXY: 'corp.example' }, `corp.example,${LOOPBACK}`],
  [
    { no_proxy: 'a.example, b.example', NO_PROXY: 'c.example' },
    `a.example,b.example,c.example,${LOOPBACK}`,
  ],
  [{ no_proxy: '127.0.0.1,corp.example' }, '127.0.0.1,corp.example,localhost,::1'],
  [{ no_proxy: '*' }, '*'],
])('exempts the loopback names from %o', async (env, expected) => {
  const of = await start(env);
  await apply(of);
  expect(await read(of)).toMatchObject({ no_proxy: expected, NO_PROXY: expected });
});

test('a terminal gets them by inheritance', async () => {
  const of = await start();
  await apply(of);
  expect(await of.lua(`return vim.trim(vim.fn.system('echo $CLAUDE_CODE_SSE_PORT'))`)).toBe('4711');
});

test('with the option off only the agent gets them', async () => {
  const of = await start({ no_proxy: 'corp.example' });
  await of.lua(`require('claude_bridge').setup({ environment = false })`);
  await apply(of);
  expect(await read(of)).toEqual({ no_proxy: 'corp.example' });
  expect(await forAgent(of)).toEqual({
    CLAUDE_CODE_SSE_PORT: '4711',
    ENABLE_IDE_INTEGRATION: 'true',
    no_proxy: `corp.example,${LOOPBACK}`,
    NO_PROXY: `corp.example,${LOOPBACK}`,
  });
  await restore(of);
  expect(await forAgent(of)).toEqual([]);
});
