/** What Lua and node tell each other, where the other side is of another mind. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { BridgeError } from '../../src/core/errors.ts';
import { FORMATS } from '../../src/core/review-text.ts';
import { RpcCalls } from '../../src/nvim/calls.ts';
import { contextPort } from '../../src/nvim/context-port.ts';
import { parseEditorEvent } from '../../src/nvim/event-source.ts';
import { kernelPort, parseKernelEvent } from '../../src/nvim/kernel-port.ts';
import { reviewPort } from '../../src/nvim/review-port.ts';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { anyJson, anyText, nearly, runs } from './support.ts';

const spot = nearly({ line: fc.nat(), column: fc.nat(), prefix: anyText });
const path = fc.oneof(fc.constant('/a.txt'), anyText);
const event = nearly({
  kind: fc.constantFrom(
    'selection',
    'document_closed',
    'documents',
    'workspace',
    'diagnostics_changed',
    'mention',
    'review_accepted',
    'review_rejected',
    'code_answer',
    'kernel_command',
    'sharing',
    'status',
  ),
  path,
  text: fc.oneof(
    anyText,
    nearly({
      lines: anyText,
      eol: fc.boolean(),
      bom: fc.boolean(),
      format: fc.constantFrom(...FORMATS),
    }),
  ),
  start: spot,
  finish: spot,
  paths: fc.array(path),
  folders: fc.array(path),
  first: fc.nat(),
  last: fc.nat(),
  id: fc.oneof(fc.constant('1'), anyText),
  reason: anyText,
  allowed: fc.boolean(),
  action: fc.constantFrom('restart', 'interrupt', 'stop'),
  notebook: nearly({ path, kind: fc.constant('ipynb'), header: fc.array(anyText) }),
});

test('events: parsed, or refused by name', () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: event }, { weight: 1, arbitrary: anyJson }),
      (raw) => {
        parseKernelEvent(raw);
        try {
          const parsed = parseEditorEvent(raw);
          expect(['undefined', 'string']).toContain(typeof parsed?.kind);
        } catch (error) {
          expect(error).toBeInstanceOf(BridgeError);
        }
      },
    ),
    runs(1_500),
  );
});

const file = nearly({
  path,
  language_id: anyText,
  line_count: fc.nat(),
  is_active: fc.boolean(),
  is_dirty: fc.boolean(),
});
const value = fc.oneof(
  anyJson,
  fc.array(file),
  file,
  nearly({ path, text: anyText, start: spot, finish: spot }),
  nearly({
    path,
    diagnostics: fc.array(
      nearly({
        message: anyText,
        severity: fc.integer({ min: 0, max: 5 }),
        start: spot,
        finish: spot,
        code: anyJson,
      }),
    ),
  }).map((one) => [one]),
  nearly({ kind: fc.constantFrom('saved', 'failed', 'not-open'), message: anyText }),
  nearly({
    lines: anyText,
    eol: fc.boolean(),
    bom: fc.boolean(),
    format: fc.constantFrom(...FORMATS),
  }),
);
const reply = fc.oneof(
  { weight: 4, arbitrary: value.map((one) => ({ ok: true, value: one })) },
  {
    weight: 1,
    arbitrary: nearly({
      ok: fc.constant(false),
      code: fc.constantFrom('expired', 'refused', 'not-found', 'failed', 'toString', '__proto__'),
      message: anyText,
    }),
  },
  { weight: 1, arbitrary: anyJson },
);

test('answers to calls: parsed, or an error of ours', async () => {
  await fc.assert(
    fc.asyncProperty(reply, async (given) => {
      const calls = new RpcCalls({ request: async () => given });
      const review = { layout: 'vertical', focus: true, jump: true } as const;
      const context = contextPort(calls);
      const reviews = reviewPort(calls, review, { openMs: 1, attemptMs: 1, closeMs: 1 });
      const view = {
        id: '1',
        oldPath: '/a',
        newPath: '/a',
        proposal: 'x',
        title: 't',
        editable: true,
      };
      const all = await Promise.allSettled([
        context.currentSelection(),
        context.openEditors(),
        context.diagnostics(),
        context.document('/a.txt'),
        context.openFile({
          path: '/a.txt',
          target: { kind: 'none' },
          makeFrontmost: true,
          preview: false,
        }),
        context.saveDocument('/a.txt'),
        reviews.openReview(view, new AbortController().signal),
        reviews.reviewText('1'),
        reviews.closeReview('1', 'stopped'),
        kernelPort(calls, () => {}).currentNotebook(),
        calls.lua('x', {}, z.unknown()),
      ]);
      for (const one of all) {
        if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(BridgeError);
      }
    }),
    runs(400),
  );
});

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startBridge({ ui: true, files: { 'a.txt': 'one\n' }, args: ['a.txt'] });
});
afterAll(() => bridge?.dispose());

test('the process takes any notification, and goes on', async () => {
  const pid = await bridge.nodePid();
  const peer = await bridge.peer();
  // Those end the process, or show a window: what they do is not to be fuzzed.
  // And a message with that key cannot be decoded: test/survival holds what follows.
  const harmless = fc
    .oneof(event, anyJson)
    .filter((one) => !/"kind":"(stop|status)"|"__proto__":/.test(JSON.stringify(one)));
  await fc.assert(
    fc.asyncProperty(fc.array(harmless, { maxLength: 20 }), async (events) => {
      await bridge.nvim.lua(
        `for _, event in ipairs(...) do
          vim.rpcnotify(require('claude_bridge.host').job(), require('claude_bridge.host').entry() .. ':function:ClaudeBridgeNotify', { event })
        end`,
        [events],
      );
    }),
    runs(60),
  );
  expect(await peer.callTexts('getOpenEditors')).toHaveLength(1);
  expect(await bridge.nodePid()).toBe(pid);
  await peer.close();
});

test('Lua takes any call: it answers, and raises nothing', async () => {
  const { nvim } = bridge;
  const methods = [
    'selection.current',
    'documents.list',
    'documents.state',
    'documents.open',
    'documents.save',
    'documents.reload',
    'diagnostics.read',
    'review.open',
    'review.prepare',
    'review.fill',
    'review.text',
    'review.close',
    'notebook.current',
    'kernel.withdraw',
    'no.such',
    '',
  ];
  const params = nearly({
    path: fc.oneof(fc.constant(`${bridge.workspace}/a.txt`), path),
    paths: fc.array(path),
    target: nearly({
      kind: fc.constantFrom('none', 'lines', 'text'),
      first: fc.integer(),
      last: fc.integer(),
      start_text: anyText,
      end_text: anyText,
      to_end_of_line: fc.boolean(),
    }),
    make_frontmost: fc.boolean(),
    id: fc.constantFrom('1', '2'),
    old_path: path,
    new_path: path,
    title: anyText,
    editable: fc.boolean(),
    layout: fc.constantFrom('vertical', 'horizontal', 'tab', 'inline', 'x'),
    focus: fc.boolean(),
    jump: fc.boolean(),
    index: fc.nat(3),
    lines: fc.array(anyText),
    text: nearly({
      eol: fc.boolean(),
      bom: fc.boolean(),
      ends: fc.constantFrom('unix', 'dos', 'mac', 'mixed', 'none'),
    }),
    end: fc.constantFrom('accepted', 'withdrawn', 'stopped'),
  });
  const deadline = fc.constantFrom(Date.now() + 3_600_000, 0);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...methods),
      params,
      deadline,
      async (method, given, until) => {
        const answer = await nvim.lua(`return require('claude_bridge.rpc').call(...)`, [
          method,
          given,
          until,
        ]);
        expect(answer).toMatchObject({ ok: expect.any(Boolean) });
      },
    ),
    runs(300),
  );
  await nvim.lua(`require('claude_bridge.review').close_all('stopped')`);
  expect(await nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: false });
  await expect
    .poll(() => nvim.lua(`return vim.tbl_count(require('claude_bridge.review.state').reviews)`))
    .toBe(0);
});
