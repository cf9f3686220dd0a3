/** sid-code's end of its bridge, and a session that it calls. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { startProcess } from '../../src/platform/agent-process.ts';
import { SidBridgeLink, type SidBridgeLinkOptions } from '../../src/sid-bridge/link.ts';
import { sameToken, WsServer } from '../../src/transport/pipe/ws-server.ts';
import { LiveSession } from './live-session.ts';
import { PROJECT, tempDir } from './nvim.ts';
import { waitFor } from './wait-for.ts';

interface Frame {
  readonly type: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Calls, drops ids that it has seen, answers pings, and keeps the rest. */
export class SidCode {
  readonly heard: Frame[] = [];
  /** Of how many frames it had seen the id. */
  repeated = 0;
  #pings = 0;
  /** The code with which its last line was closed. */
  #ended: number | undefined;
  /** False: it reads, and answers no ping. */
  answers = true;
  readonly #seen = new Set<string>();
  #socket: WebSocket | undefined;

  async call(url: string): Promise<void> {
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('close', (code) => {
      this.#ended = code;
    });
    socket.on('message', (data) => this.#hear(JSON.parse(String(data))));
    await once(socket, 'open');
    if (this.answers) this.say('status', { status: 'ready' });
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  say(type: string, data: object, id: string = randomUUID()): void {
    this.#socket?.send(JSON.stringify({ type, id, data, timestamp: Date.now() }));
  }

  /** As it does every 30 s. */
  beat(): void {
    this.#socket?.send('{"type":"status","data":{"ping":true}}');
  }

  raw(text: string): void {
    this.#socket?.send(text);
  }

  hangUp(): void {
    this.#socket?.terminate();
  }

  /** Reads no more and says no more, as a process that is stopped. */
  hang(): void {
    this.#socket?.pause();
  }

  /** Goes on, and reads what has come meanwhile. Resolves when it knows that its line is gone. */
  async wakes(): Promise<void> {
    const socket = this.#socket;
    socket?.resume();
    await waitFor(() => expect(socket?.readyState).toBe(WebSocket.CLOSED));
    // It does not call again after a good end.
    expect(this.#ended).not.toBe(1000);
  }

  of(type: string): readonly Frame[] {
    return this.heard.filter((frame) => frame.type === type);
  }

  get texts(): readonly unknown[] {
    return this.of('user_message').map(({ data }) => data['text']);
  }

  async hears(type: string): Promise<Frame | undefined> {
    await waitFor(() => expect(this.heard.map((frame) => frame.type)).toContain(type));
    return this.of(type).at(-1);
  }

  /** So often from now on. */
  async pinged(times: number): Promise<void> {
    const wanted = this.#pings + times;
    await waitFor(() => expect(this.#pings).toBeGreaterThanOrEqual(wanted));
  }

  #hear(frame: Frame): void {
    if (frame.type === 'control' && frame.data['command'] === 'ping') {
      this.#pings += 1;
      if (this.answers) this.say('status', { status: 'pong' });
    } else if (this.#seen.has(frame.id)) this.repeated += 1;
    else {
      this.#seen.add(frame.id);
      this.heard.push(frame);
    }
  }
}

export interface SidStage {
  readonly live: LiveSession;
  /** 0 before it listens. */
  readonly port: number;
  /** Where sid-code is to call; '' before it listens. */
  readonly url: string;
}

export function sidStage(options: Partial<SidBridgeLinkOptions> = {}): SidStage {
  const token = 'the/token';
  let url = '';
  const server = new WsServer({
    host: '127.0.0.1',
    port: 0,
    authorize: sameToken(token),
    onRefused: () => {},
  });
  const address = {
    get target() {
      return server.target;
    },
    open: server.open.bind(server),
    dispose: () => server.dispose(),
    url: async () => {
      await server.listen();
      url = `${server.target}/?token=${encodeURIComponent(token)}`;
      return url;
    },
  };
  const live = new LiveSession({
    folder: tempDir(),
    connect: (context) => new SidBridgeLink({ context, address, ...options }),
  });
  return {
    live,
    get port() {
      return server.port;
    },
    get url() {
      return url;
    },
  };
}

export type SidFault = {
  readonly at: 'start' | 'call' | 'text';
  readonly fault: 'hangs' | 'exits';
};

/** sid-code as a program of this editor: the first one fails, those after it do not. */
export function sidCodeChild(
  fault: SidFault,
): NonNullable<SidBridgeLinkOptions['launch']> & { readonly told: readonly string[] } {
  const told: string[] = [];
  const options = JSON.stringify({ ...fault, counter: path.join(tempDir(), 'count') });
  const script = path.join(PROJECT, 'test/support/sid-code-child.mjs');
  return {
    /** What it has written to its standard error. */
    told,
    start: (command, onError) =>
      startProcess(command, (line) => {
        told.push(line);
        onError(line);
      }),
    command: (url) => ({
      command: process.execPath,
      args: [script, url, options],
      folder: PROJECT,
      env: {},
    }),
  };
}
