/** A Neovim in a workspace of its own whose events are told, parsed as the bridge parses them. */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { EditorEvent, Selection } from '../../src/core/ports.ts';
import { RpcCalls } from '../../src/nvim/calls.ts';
import { contextPort } from '../../src/nvim/context-port.ts';
import { parseEditorEvent } from '../../src/nvim/event-source.ts';
import { type StartOptions, startNvim, type TestNvim, tempDir } from './nvim.ts';
import { waitFor } from './wait-for.ts';

/** A selection as plain numbers: `[text, start line, start character, end line, end character]`. */
export type Told = [string, number, number, number, number];

export class Context {
  readonly workspace: string;
  readonly #raw: Record<string, unknown>[];

  private constructor(
    readonly nvim: TestNvim,
    workspace: string,
    raw: Record<string, unknown>[],
  ) {
    this.workspace = workspace;
    this.#raw = raw;
  }

  static async start(options: StartOptions = {}): Promise<Context> {
    const workspace = tempDir();
    const nvim = await startNvim({ cwd: workspace, ...options });
    const context = new Context(nvim, workspace, await nvim.captureNotifications());
    await nvim.lua(`require('claude_bridge.events').start()`);
    return context;
  }

  get port(): ReturnType<typeof contextPort> {
    return contextPort(new RpcCalls(this.nvim.client));
  }

  get events(): EditorEvent[] {
    return this.#raw.map((raw) => parseEditorEvent(raw)).filter((event) => event !== undefined);
  }

  of<Kind extends EditorEvent['kind']>(kind: Kind): Extract<EditorEvent, { kind: Kind }>[] {
    return this.events.filter(
      (event): event is Extract<EditorEvent, { kind: Kind }> => event.kind === kind,
    );
  }

  get selections(): Selection[] {
    return this.of('selection').map(({ selection }) => selection);
  }

  get raw(): readonly Record<string, unknown>[] {
    return this.#raw;
  }

  path(name: string): string {
    return path.join(this.workspace, name);
  }

  write(name: string, content: string | Buffer = ''): string {
    const file = this.path(name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    return file;
  }

  /** Writes a file and shows it, without a word of a command line having a meaning. */
  async open(name: string, content: string | Buffer = ''): Promise<string> {
    const file = this.write(name, content);
    await this.show(file);
    return file;
  }

  async show(file: string): Promise<void> {
    await this.nvim.lua(
      `local buf = vim.fn.bufadd(...)
       vim.bo[buf].buflisted = true
       vim.api.nvim_set_current_buf(buf)`,
      [file],
    );
  }

  /** Waits until this was told last. */
  async told(...wanted: Told): Promise<void> {
    await waitFor(() => expect(told(this.selections.at(-1))).toEqual(wanted));
  }

  async dispose(): Promise<void> {
    await this.nvim.dispose();
    fs.rmSync(this.workspace, { recursive: true, force: true });
  }
}

export function told(selection: Selection | undefined): Told | undefined {
  if (!selection) return undefined;
  const { start, end } = selection.range;
  return [selection.text, start.line, start.character, end.line, end.character];
}
