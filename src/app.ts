/** The life of the process: one bridge from `start` to `stop`, and a clean end whatever ends it. */
import { homedir } from 'node:os';
import { z } from 'zod';
import { Bridge } from './bridge.ts';
import { StartRequest } from './config.ts';
import { messageOf } from './core/errors.ts';
import { type NvimRequester, RpcCalls } from './nvim/calls.ts';

export interface AppOptions {
  readonly nvim: NvimRequester & { on(event: 'disconnect', listener: () => void): unknown };
  readonly process: NodeJS.Process;
  /** The plugin's folder. */
  readonly root: string;
}

const Message = z.object({ kind: z.string() });
/** How long the end may take before the process goes all the same, ms. */
const END_LIMIT_MS = 1_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export class App {
  readonly #options: AppOptions;
  readonly #calls: RpcCalls;
  #bridge: Bridge | undefined;
  #ending = false;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#calls = new RpcCalls(options.nvim);
  }

  /** Takes one message of Lua. Never throws: there is nobody to catch it. */
  handle(raw: unknown): void {
    const message = Message.safeParse(raw);
    if (!message.success || this.#ending) return;
    switch (message.data.kind) {
      case 'start':
        this.#start(raw);
        break;
      case 'stop':
        void this.#end(0);
        break;
      default:
        this.#bridge?.handle(raw);
    }
  }

  #start(raw: unknown): void {
    if (this.#bridge) return;
    const request = StartRequest.safeParse(raw);
    if (!request.success) {
      void this.#fail(`the options were not understood: ${z.prettifyError(request.error)}`);
      return;
    }
    const { process } = this.#options;
    const bridge = new Bridge({
      calls: this.#calls,
      request: request.data,
      root: this.#options.root,
      environment: {
        home: process.env['HOME'] || homedir(),
        variables: process.env,
        platform: process.platform,
        ideName: request.data.config.ide_name,
        lockFolder: request.data.config.lock_dir,
        transport: request.data.config.transport,
      },
    });
    this.#bridge = bridge;
    this.#watchProcess(bridge);
    bridge.open().catch((error: unknown) => this.#fail(messageOf(error)));
  }

  /** From here on no way out of the process leaves a lock file behind. */
  #watchProcess(bridge: Bridge): void {
    const { nvim, process } = this.#options;
    process.on('exit', () => bridge.withdraw());
    for (const signal of SIGNALS) process.on(signal, () => void this.#end(0));
    nvim.on('disconnect', () => {
      this.#calls.disconnected();
      void this.#end(0);
    });
    // What cannot be written to a Neovim that is gone must not become one more uncaught exception.
    process.stderr.on('error', () => {});
    process.on('uncaughtException', (error) => {
      bridge.logger.error('uncaught exception', { error: error.stack ?? error.message });
      process.stderr.write(`${error.message}\n`);
      void this.#end(1);
    });
  }

  async #fail(message: string): Promise<void> {
    try {
      await this.#calls.lua('session.failed', { message: oneLine(message) }, z.unknown());
    } catch {
      // Neovim is gone or busy; the process ends, and Lua sees that by itself.
    }
    await this.#end(1);
  }

  async #end(code: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    const { process } = this.#options;
    const forced = setTimeout(() => process.exit(code), END_LIMIT_MS);
    try {
      await this.#bridge?.dispose();
    } catch (error) {
      this.#bridge?.logger.error('the bridge did not close cleanly', { error: messageOf(error) });
    } finally {
      clearTimeout(forced);
      process.exit(code);
    }
  }
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, '; ');
