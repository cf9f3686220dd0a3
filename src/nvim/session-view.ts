/** Live sessions as Neovim shows them, and the text of its buffers for agents. */
import { z } from 'zod';
import { BridgeError } from '../core/errors.ts';
import type { EditorPort } from '../core/ports.ts';
import type { BufferPort, SessionView } from '../session/ports.ts';
import type { NvimCalls } from './calls.ts';
import { nullish } from './schema.ts';

/** A view that does not come at once would come as a surprise. */
const OPEN_MS = 5_000;
/** Whole files travel, and what a user has set to run on writing runs too. */
const BUFFER_MS = 30_000;
/** After each attempt of this length the request is made again, so that none comes late. */
const ATTEMPT_MS = 3_000;

export function sessionView(calls: NvimCalls, notify: EditorPort['notify']): SessionView {
  return {
    open: async (session, agent) => {
      await calls.lua('chat.open', { session, agent }, z.unknown(), OPEN_MS);
    },
    apply: async (session, batch, ops) => {
      // Values that are not known are left out: Lua must not see them as `vim.NIL`.
      const params = { session, batch, ops: withoutUndefined(ops) };
      return calls.lua('chat.apply', params, nullish(z.number()));
    },
    close: async (session, message) => {
      const params = message === undefined ? { session } : { session, message };
      await calls.lua('chat.close', params, z.unknown());
    },
    notify,
  };
}

export function bufferPort(calls: NvimCalls): BufferPort {
  return {
    read: async (path) => {
      const text = nullish(z.object({ text: z.string() }));
      return (await patiently((ms) => calls.lua('buffers.read', { path }, text, ms)))?.text;
    },
    write: async (path, text) => {
      await patiently((ms) => calls.lua('buffers.write', { path, text }, z.unknown(), ms));
    },
  };
}

/** An agent can wait for an editor that is busy; a request that expired has done nothing. */
async function patiently<T>(attempt: (limitMs: number) => Promise<T>): Promise<T> {
  const deadline = Date.now() + BUFFER_MS;
  for (;;) {
    try {
      return await attempt(Math.max(1, Math.min(ATTEMPT_MS, deadline - Date.now())));
    } catch (error) {
      const busy = error instanceof BridgeError && error.code === 'editor-busy';
      if (!busy || Date.now() >= deadline) throw error;
    }
  }
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner)]));
}
