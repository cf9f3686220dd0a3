/** The arguments of each tool, on an editor in memory and on a real one. */
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Editor } from '../../src/core/editor.ts';
import { BridgeError } from '../../src/core/errors.ts';
import type { EditorPort } from '../../src/core/ports.ts';
import { Privacy } from '../../src/core/privacy.ts';
import { ideTools } from '../../src/tools/ide-tools.ts';
import { startBridge, type TestBridge } from '../support/bridge.ts';
import { MemoryLogger } from '../support/logger.ts';
import type { Peer } from '../support/peer.ts';
import { anyJson, anyText, nearly, runs } from './support.ts';

const ANSWERS = {
  accepted: () => ({ content: [] }),
  rejected: () => ({ content: [] }),
  closed: () => ({ content: [] }),
};

/** Does nothing, but complains of what is no path. */
function strictPort(): EditorPort {
  const check = (file: string | undefined): void => {
    if (file !== undefined && (!path.isAbsolute(file) || file.includes('\0'))) {
      throw new Error(`no path: ${JSON.stringify(file)}`);
    }
  };
  return {
    currentSelection: async () => undefined,
    openEditors: async () => [],
    diagnostics: async (file) => {
      check(file);
      return file === undefined ? [] : [{ path: file, diagnostics: [] }];
    },
    document: async (file) => void check(file),
    openFile: async ({ path: file, target }) => {
      check(file);
      if (target.kind === 'lines' && !(target.lines.first <= target.lines.last)) {
        throw new Error('no range');
      }
      return { path: file, languageId: 'x', lineCount: 1 };
    },
    saveDocument: async (file) => {
      check(file);
      return { kind: 'saved' };
    },
    reloadFiles: async () => {},
    openReview: async ({ oldPath, newPath }) => {
      check(oldPath);
      check(newPath);
      throw new BridgeError('refused', 'reviews are not for this test');
    },
    reviewText: async () => undefined,
    closeReview: async () => {},
    notify: () => {},
  };
}

const FIELDS = {
  filePath: anyText,
  preview: fc.boolean(),
  startText: anyText,
  endText: anyText,
  startLine: fc.integer({ min: -1, max: 2 ** 31 }),
  endLine: fc.integer({ min: -1, max: 2 ** 53 }),
  selectToEndOfLine: fc.boolean(),
  makeFrontmost: fc.boolean(),
  old_file_path: anyText,
  new_file_path: anyText,
  new_file_contents: anyText,
  tab_name: anyText,
  uri: fc.oneof(
    anyText,
    anyText.map((text) => `file:///${text}`),
  ),
  code: anyText,
};

describe.each(ideTools.map((tool) => [tool.name, tool] as const))('%s', (_, tool) => {
  const known = Object.keys((tool.inputSchema['properties'] ?? {}) as object);
  const fields = Object.fromEntries(
    Object.entries(FIELDS).filter(([name]) => known.includes(name)),
  );

  test('every field has its fuzz', () => {
    expect(Object.keys(fields).sort()).toEqual(known.sort());
  });

  test('any arguments end in an answer or in an error that says why', async () => {
    const editor = new Editor({
      port: strictPort(),
      logger: new MemoryLogger(),
      privacy: new Privacy(),
    });
    editor.workspace.update(['/work']);
    const args = fc.oneof(
      { weight: 9, arbitrary: nearly(fields) },
      { weight: 1, arbitrary: anyJson },
    );
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        const { signal } = new AbortController();
        try {
          const answer = await tool.call(given, {
            editor,
            sessionId: 's',
            requestId: 1,
            signal,
            answers: ANSWERS,
          });
          expect(Array.isArray(answer.content)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(BridgeError);
          expect((error as BridgeError).message).not.toBe('');
        }
      }),
      runs(200),
    );
  });
});

describe('on a real Neovim', () => {
  let bridge: TestBridge;
  let peer: Peer;
  beforeAll(async () => {
    bridge = await startBridge({
      ui: true,
      files: { 'a.txt': 'one\ntwo\n', 'ü\n.txt': 'three\n' },
      args: ['a.txt'],
      options: { tools: { outside_workspace: true }, kernel: { allow: 'never' } },
    });
    peer = await bridge.peer();
  });
  afterAll(() => bridge?.dispose());

  test('any calls at once: each ends, and the editor is as before', async () => {
    const { nvim, workspace } = bridge;
    const names = fc.oneof(
      fc
        .constantFrom('a.txt', 'ü\n.txt', 'none.txt', '.', '..')
        .map((name) => path.join(workspace, name)),
      anyText,
    );
    const files = { filePath: names, old_file_path: names, new_file_path: names, uri: names };
    const call = fc.record({
      // Code is for kernels, and their own tests.
      tool: fc.constantFrom(
        ...ideTools.map(({ name }) => name).filter((name) => name !== 'executeCode'),
      ),
      args: nearly({ ...FIELDS, ...files }),
    });
    const rest = await nvim.lua('return #vim.api.nvim_list_wins()');
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async (calls) => {
        const ids = calls.map(() => `fuzz-${peer.takeId()}`);
        const ended = calls.map(({ tool, args }, i) =>
          peer.call(tool, args, ids[i] ?? '').catch((error: Error) => error),
        );
        await Promise.all(ended.filter((_, i) => calls[i]?.tool !== 'openDiff'));
        await peer.call('closeAllDiffTabs');
        for (const id of ids) peer.cancel(id);
        await Promise.all(ended);
        expect(await nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: false });
        await nvim.lua(`vim.cmd('stopinsert | silent! only! | silent! tabonly!')
          vim.api.nvim_feedkeys('\\27', 'nx', false)`);
      }),
      runs(60),
    );
    expect(await nvim.lua('return #vim.api.nvim_list_wins()')).toBe(rest);
    expect(
      await nvim.lua(`return vim.tbl_count(require('claude_bridge.review.state').reviews)`),
    ).toBe(0);
    expect(await nvim.messages()).not.toMatch(/E\d+:|stack traceback/);
  });
});
