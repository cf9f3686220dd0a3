/**
 * What a flood costs the editor, in processor time of its own process: a busy machine does not
 * change that.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChat, type TestChat } from '../support/chat.ts';

let chat: TestChat;
beforeEach(async () => {
  chat = await startChat({ ui: true });
  await chat.open();
});
afterEach(() => chat.nvim.dispose());

interface Costs {
  readonly batches: number;
  readonly worst: number;
  /** All but one in a hundred are below this: the clock counts now and then what is not ours. */
  readonly most: number;
  readonly median: number;
  readonly total: number;
}

/**
 * Applies the batches that a Lua generator makes, one at a time as node would, and measures each
 * together with the redraw that follows it. Ms.
 */
const measure = (generator: string) =>
  chat.nvim.lua<Costs>(`
    local apply, make = require('claude_bridge.chat').apply, (function() ${generator} end)()
    local session = require('claude_bridge.chat.sessions').get('demo')
    local costs = {}
    for ops in make do
      local from = os.clock()
      apply({ session = 'demo', batch = session.batch + 1, ops = ops })
      vim.cmd.redraw()
      costs[#costs + 1] = (os.clock() - from) * 1e3
    end
    session.batch = 0
    table.sort(costs)
    local total = 0
    for _, cost in ipairs(costs) do total = total + cost end
    return {
      batches = #costs,
      worst = costs[#costs],
      most = costs[math.ceil(#costs * 0.99)],
      median = costs[math.ceil(#costs / 2)],
      total = total,
    }`);

const report = (what: string, costs: Costs) => {
  if (process.env['BENCH']) {
    const shown = Object.entries(costs).map(([name, value]) => `${name} ${value.toFixed(2)}`);
    process.stdout.write(`${what}: ${shown.join(', ')}\n`);
  }
};

const DELTAS = `
  local sent = -1
  return function()
    sent = sent + 1
    if sent == 0 then
      return { { op = 'put', entry = { id = 'a', kind = 'agent', text = '', streaming = true } } }
    end
    if sent > 10000 then return nil end
    local text = sent % 12 == 0 and 'word **bold**\\n' or sent % 40 == 0 and '\`\`\`lua\\nx = 1\\n\`\`\`\\n' or 'word '
    return { { op = 'append', id = 'a', field = 'text', text = text } }
  end`;

const OUTPUT = (batch: number) => `
  local line = ('0123456789'):rep(7) .. '\\n'
  local text, sent = line:rep(math.floor(${batch} / #line)), -1
  return function()
    sent = sent + 1
    if sent == 0 then
      return { { op = 'put', entry = { id = 't', kind = 'tool', title = 'cat', category = 'execute', state = 'running', output = '' } } }
    end
    if sent * #text > 5e6 then return nil end
    return { { op = 'append', id = 't', field = 'output', text = text } }
  end`;

/** No batch holds the editor up for longer. Ms. */
const LIMIT = 10;

test('10,000 deltas, one a batch', async () => {
  const costs = await measure(DELTAS);
  report('10,000 deltas', costs);
  expect(costs.batches).toBe(10_001);
  expect(costs.most).toBeLessThan(LIMIT);
  const lines = await chat.lines();
  expect(lines[0]).toBe(`${'word '.repeat(11)}word **bold**`);
  expect(lines.filter((line) => line.endsWith('**bold**'))).toHaveLength(833);
});

test('5 MB of output in batches of 32 kB', async () => {
  const costs = await measure(OUTPUT(32_768));
  report('5 MB in batches', costs);
  expect(costs.most).toBeLessThan(LIMIT);
  const lines = await chat.lines();
  expect(lines.length).toBeLessThan(1100);
  expect(lines[1]).toBe(`  ${'0123456789'.repeat(7)}`);
  expect(lines[401]).toBe('  … cut here: :ClaudeSessionOutput shows all 5.0 MB');
  expect(lines.at(-3)).toBe(`  ${'0123456789'.repeat(7)}`);
});

test('5 MB of output at once, with its fold open', async () => {
  const costs = await measure(OUTPUT(4_900_000));
  report('5 MB at once', costs);
  // Far more than node sends in one batch.
  expect(costs.worst).toBeLessThan(5 * LIMIT);
  await chat.focus('');
  await chat.nvim.command('1foldopen');
  await chat.nvim.command('ClaudeSessionOutput');
  expect(await chat.nvim.lua(`return vim.fn.line('$')`)).toBe(Math.floor(4_900_000 / 71) + 1);
});

test('5 MB in a single line', async () => {
  const costs = await measure(OUTPUT(32_768).replace(` .. '\\n'`, ''));
  report('5 MB in one line', costs);
  expect(costs.most).toBeLessThan(LIMIT);
  const lines = await chat.lines();
  expect(lines).toHaveLength(4);
  expect(lines[1]?.length).toBeLessThan(1100);
});

test('a conversation without an end keeps its newest part', async () => {
  const costs = await measure(`
    local sent = 0
    return function()
      sent = sent + 1
      if sent > 1500 then return nil end
      local ops = {}
      for index = 1, 4 do
        local id = sent .. '-' .. index
        ops[index] = { op = 'put', entry = { id = id, kind = 'tool', title = id, category = 'read', state = 'done', output = ('x\\n'):rep(10) } }
      end
      return ops
    end`);
  report('6,000 tool calls', costs);
  expect(costs.most).toBeLessThan(LIMIT);
  const lines = await chat.lines();
  expect(lines.length).toBeLessThan(31_500);
  expect(lines[0]).toBe('… what was said before is no longer shown here');
  expect(lines.at(-13)).toBe('✓ read 1500-4');
  await chat.apply([{ op: 'append', id: '1500-1', field: 'output', text: 'more' }]);
  expect((await chat.lines()).at(-39)).toBe('  more');
});

test('all of a long conversation goes at once', async () => {
  await measure(DELTAS);
  const costs = await measure(`
    local done
    return function()
      if done then return nil end
      done = true
      return { { op = 'clear' } }
    end`);
  report('clear', costs);
  expect(costs.worst).toBeLessThan(5 * LIMIT);
  expect(await chat.lines()).toEqual(['']);
});

test('of many large outputs only the newest are kept whole', async () => {
  await measure(`
    local sent = 0
    return function()
      sent = sent + 1
      if sent > 12 then return nil end
      local output = ('x'):rep(99) .. '\\n'
      return { { op = 'put', entry = { id = 't' .. sent, kind = 'tool', title = 'x', category = 'read', state = 'done', output = output:rep(50000) } } }
    end`);
  await chat.focus('');
  await chat.nvim.command('normal! Gk');
  await chat.nvim.command('ClaudeSessionOutput');
  expect(await chat.nvim.lua(`return vim.fn.line('$')`)).toBe(50_001);
  await chat.nvim.command('close');
  await chat.nvim.command('normal! gg');
  await chat.nvim.command('ClaudeSessionOutput');
  expect(await chat.nvim.messages()).toContain('no whole text is kept');
});

test('a batch leaves the compiler of the editor as it was, also one that fails', async () => {
  const compiles = () => chat.nvim.lua<boolean | null>(`return jit and (jit.status())`);
  const before = await compiles();
  await chat.apply([{ op: 'clear' }]);
  expect(await compiles()).toBe(before);
  expect(await chat.call('chat.apply', { session: 'none', batch: 1, ops: [] })).toMatchObject({
    ok: false,
    code: 'not-found',
  });
  expect(await compiles()).toBe(before);
});
