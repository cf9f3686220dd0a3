/** The parts of the editor that running code needs, and the user's words about it. */
import { z } from 'zod';
import type { KernelEvent, Notebook, NotebookPort } from '../core/code-runner.ts';
import type { NvimCalls } from './calls.ts';
import { FilePath, listOf, nullish } from './schema.ts';

const LuaNotebook = z
  .object({
    path: FilePath,
    kind: z.enum(['ipynb', 'percent', 'quarto']),
    language: z.string().optional(),
    header: listOf(z.string()),
    connection_file: z.string().min(1).optional(),
  })
  .transform(
    ({ connection_file, ...rest }): Notebook => ({ ...rest, connectionFile: connection_file }),
  );

/** Builds the kernel's part of the port on calls into Lua; `notify` is the editor's own. */
export function kernelPort(calls: NvimCalls, notify: NotebookPort['notify']): NotebookPort {
  return {
    currentNotebook: () => calls.lua('notebook.current', {}, nullish(LuaNotebook)),
    ask: async ({ id, path, kernel, code }) =>
      void (await calls.lua('kernel.ask', { id, path, kernel, code }, z.unknown())),
    withdraw: async (id) => void (await calls.lua('kernel.withdraw', { id }, z.unknown())),
    notify,
  };
}

const LuaKernelEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('code_answer'), id: z.string(), allowed: z.boolean() }),
  z.object({
    kind: z.literal('kernel_command'),
    action: z.enum(['restart', 'interrupt', 'stop']),
    notebook: nullish(LuaNotebook),
  }),
]);

/** The event for the kernels; undefined where it is not for them. */
export function parseKernelEvent(raw: unknown): KernelEvent | undefined {
  const event = LuaKernelEvent.safeParse(raw);
  if (!event.success) return undefined;
  if (event.data.kind === 'code_answer') {
    return { kind: 'code-answer', id: event.data.id, allowed: event.data.allowed };
  }
  const { action, notebook } = event.data;
  return { kind: 'kernel-command', action, notebook };
}
