/** Calls into the plugin's Lua side, each with a time limit and a parsed answer. */
import { z } from 'zod';
import { BridgeError, messageOf } from '../core/errors.ts';

/** The part of node-client that a call needs. */
export interface NvimRequester {
  request(method: string, args: unknown[]): Promise<unknown>;
}

export interface NvimCalls {
  /**
   * Runs one function of `lua/claude_bridge/rpc.lua` and parses what it returns.
   * @param limitMs after which the call fails with `editor-busy`; Lua then does nothing late.
   */
  lua<T>(method: string, params: object, schema: z.ZodType<T>, limitMs?: number): Promise<T>;
}

/** Long enough for a busy editor, short enough for an agent that waits two seconds. */
const DEFAULT_LIMIT_MS = 3_000;

const Reply = z.union([
  z.object({ ok: z.literal(true), value: z.unknown().optional() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);

const LUA_CODES = {
  expired: 'editor-busy',
  'not-found': 'not-found',
  refused: 'refused',
} as const;

const BUSY =
  'Neovim did not answer in time: it waits at a prompt or is busy. Answer the prompt in Neovim, then try again.';

const GONE = 'Neovim has ended.';

export class RpcCalls implements NvimCalls {
  /** Each gives one call up that waits for its answer. */
  readonly #waiting = new Set<(error: BridgeError) => void>();
  #isGone = false;

  constructor(private readonly nvim: NvimRequester) {}

  /** The channel has ended: no call waits for an answer any more, nor does one that comes later. */
  disconnected(): void {
    this.#isGone = true;
    for (const giveUp of this.#waiting) giveUp(new BridgeError('editor-gone', GONE));
  }

  async lua<T>(
    method: string,
    params: object,
    schema: z.ZodType<T>,
    limitMs = DEFAULT_LIMIT_MS,
  ): Promise<T> {
    if (this.#isGone) throw new BridgeError('editor-gone', GONE);
    const sent = this.nvim.request('nvim_exec_lua', [
      'return require("claude_bridge.rpc").call(...)',
      [method, params, Date.now() + limitMs],
    ]);
    const reply = Reply.safeParse(await this.#within(sent, limitMs));
    if (!reply.success) {
      throw new BridgeError('editor-failed', `${method}: Neovim gave no usable answer`);
    }
    if (!reply.data.ok) throw toBridgeError(method, reply.data);
    const value = schema.safeParse(reply.data.value);
    if (value.success) return value.data;
    throw new BridgeError('editor-failed', `${method}: ${z.prettifyError(value.error)}`);
  }

  async #within(sent: Promise<unknown>, limitMs: number): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    let giveUp = (_: BridgeError): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = reject;
      timer = setTimeout(() => reject(new BridgeError('editor-busy', BUSY)), limitMs);
    });
    this.#waiting.add(giveUp);
    try {
      return await Promise.race([sent, givenUp]);
    } catch (error) {
      if (error instanceof BridgeError) throw error;
      throw new BridgeError('editor-failed', messageOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(giveUp);
    }
  }
}

function toBridgeError(method: string, reply: { code: string; message: string }): BridgeError {
  if (reply.code === 'expired') return new BridgeError('editor-busy', BUSY);
  const known = LUA_CODES[reply.code as keyof typeof LUA_CODES];
  return known
    ? new BridgeError(known, reply.message)
    : new BridgeError('editor-failed', `${method}: ${reply.message}`);
}
