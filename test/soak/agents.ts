/** Agents that come, ask for anything, and go in every way. */
import path from 'node:path';
import type { TestBridge } from '../support/bridge.ts';
import { Peer } from '../support/peer.ts';
import type { Random } from './random.ts';

const WEIGHTS = {
  connect: 4,
  call: 20,
  propose: 10,
  withdraw: 4,
  closeAll: 2,
  cancel: 4,
  junk: 3,
  close: 2,
  kill: 2,
} as const;
export type AgentAction = keyof typeof WEIGHTS;

const MAX_PEERS = 6;

export class Agents {
  readonly #bridge: TestBridge;
  readonly #random: Random;
  #action: AgentAction = 'connect';
  readonly #files: readonly string[];
  #peers: Peer[] = [];
  #lastCall = 0;
  readonly #open = new Set<Promise<unknown>>();

  constructor(bridge: TestBridge, random: Random, files: readonly string[]) {
    this.#bridge = bridge;
    this.#random = random;
    this.#files = files;
  }

  /** Chooses what comes next, and tells it. */
  next(): string {
    this.#action = this.#random.weighted(WEIGHTS);
    return `agent: ${this.#action}`;
  }

  async act(): Promise<AgentAction> {
    const action = this.#action;
    this.#peers = this.#peers.filter(({ socket }) => socket.readyState === socket.OPEN);
    if (action === 'connect' || this.#peers.length === 0) await this.#connect();
    else this.#do(action, this.#random.of(this.#peers));
    return action;
  }

  /** Everybody goes; every call has ended then. */
  async dispose(): Promise<void> {
    for (const peer of this.#peers.splice(0)) {
      if (this.#random.below(2) === 0) peer.terminate();
      else await peer.close();
    }
    await Promise.all(this.#open);
  }

  async #connect(): Promise<void> {
    if (this.#peers.length >= MAX_PEERS) return;
    const { port, token } = this.#bridge;
    try {
      this.#peers.push(await Peer.ready({ port, token }));
    } catch {
      // The process is just being started again.
    }
  }

  #do(action: AgentAction, peer: Peer): void {
    const random = this.#random;
    switch (action) {
      case 'call':
        this.#call(peer, ...this.#anyCall());
        break;
      case 'propose':
        this.#call(peer, 'openDiff', this.#proposal());
        break;
      case 'withdraw':
        this.#call(peer, 'close_tab', { tab_name: `tab ${random.below(4)}` });
        break;
      case 'closeAll':
        this.#call(peer, 'closeAllDiffTabs', {});
        break;
      case 'cancel':
        peer.cancel(`call-${Math.max(0, this.#lastCall - random.below(5))}`);
        break;
      case 'junk':
        peer.send(
          random.of(['{', '[]', '{"id":1}', '{"jsonrpc":"2.0","id":null,"method":3}', '"x"']),
        );
        break;
      case 'close':
        peer.socket.close();
        break;
      default:
        peer.terminate();
    }
  }

  #call(peer: Peer, name: string, args: Record<string, unknown>): void {
    this.#lastCall += 1;
    const id = `call-${this.#lastCall}`;
    const call: Promise<unknown> = peer
      .call(name, args, id)
      .catch(() => {})
      .finally(() => this.#open.delete(call));
    this.#open.add(call);
  }

  #file(): string {
    return path.join(this.#bridge.workspace, this.#random.of(this.#files));
  }

  #proposal(): Record<string, unknown> {
    const random = this.#random;
    const file =
      random.below(8) === 0 ? path.join(this.#bridge.workspace, 'new.txt') : this.#file();
    const lines = Array.from(
      { length: random.below(200) },
      (_, i) => `line ${i * random.below(3)} ä`,
    );
    return {
      old_file_path: file,
      new_file_path: file,
      new_file_contents: lines.join(random.of(['\n', '\r\n'])) + random.of(['', '\n']),
      tab_name: `tab ${random.below(4)}`,
    };
  }

  #anyCall(): [string, Record<string, unknown>] {
    const random = this.#random;
    const filePath = this.#file();
    return random.of<[string, Record<string, unknown>]>([
      ['getCurrentSelection', {}],
      ['getLatestSelection', {}],
      ['getOpenEditors', {}],
      ['getWorkspaceFolders', {}],
      ['getDiagnostics', {}],
      ['getDiagnostics', { uri: `file://${filePath}` }],
      ['checkDocumentDirty', { filePath }],
      [
        'openFile',
        { filePath, startLine: random.below(20) + 1, makeFrontmost: random.below(2) === 0 },
      ],
      ['openFile', { filePath, startText: 'line', endText: '9' }],
      ['executeCode', { code: '1' }],
    ]);
  }
}
