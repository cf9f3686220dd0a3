/** Scripted clients, one for each dialect: they say what was recorded of the real ones. */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT } from './nvim.ts';
import { Peer } from './peer.ts';

const Arguments = z.record(z.string(), z.string());
const Fixture = z.object({
  source: z.union([z.string(), z.record(z.string(), z.string())]),
  protocol: z.string().optional(),
  userAgent: z.string().optional(),
  upgrade: Arguments,
  handshake: z.array(z.string()),
  greeting: z.string().optional(),
  openDiff: z.record(z.string(), z.union([z.string(), Arguments])).optional(),
});
export type Fixture = z.output<typeof Fixture>;

/** The two generations of sid-code, and the clients that have one dialect. */
export type AgentKind =
  | 'sid-code/first'
  | 'sid-code/second'
  | 'opencode'
  | 'claude-code'
  | 'claude-code-best';

export function fixtureOf(kind: AgentKind): Fixture {
  const [folder = ''] = kind.split('/');
  const file = path.join(PROJECT, 'test/fixtures', folder, 'frames.json');
  return Fixture.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
}

export interface AgentOptions {
  readonly port: number;
  readonly token: string;
}

/** Opens the socket as this client does. @throws Refused */
export function connectAgent(kind: AgentKind, { port, token }: AgentOptions): Promise<Peer> {
  const { protocol, userAgent = '', upgrade } = fixtureOf(kind);
  return Peer.connect({
    port,
    userAgent,
    protocols: protocol === undefined ? [] : [protocol],
    headers: fill(upgrade, { $TOKEN: token }),
  });
}

/** Connects and plays the handshake; each request waits for its answer before the next frame. */
export async function startAgent(kind: AgentKind, options: AgentOptions): Promise<Peer> {
  const peer = await connectAgent(kind, options);
  for (const frame of handshakeOf(kind)) await play(peer, frame);
  return peer;
}

export function handshakeOf(kind: AgentKind): readonly string[] {
  const { handshake, greeting } = fixtureOf(kind);
  return kind === 'sid-code/second' && greeting ? [...handshake, greeting] : handshake;
}

/** Sends a recorded frame as it is; resolves when it has its answer, if it asks for one. */
async function play(peer: Peer, frame: string): Promise<void> {
  const { id } = z.object({ id: z.int().optional() }).parse(JSON.parse(frame));
  const answered = id === undefined ? undefined : peer.answer(id);
  peer.send(frame);
  if (id === undefined) return;
  // The client goes on counting.
  while (peer.takeId() < id);
  await answered;
}

/** The arguments with which this client proposes an edit. */
export function diffArguments(
  kind: AgentKind,
  file: string,
  proposal: string,
  tab?: string,
): Record<string, string> {
  const { openDiff = {} } = fixtureOf(kind);
  const [, generation] = kind.split('/');
  const shape = Arguments.parse(generation === undefined ? openDiff : openDiff[generation]);
  const filled = fill(shape, { $PATH: file, $OLD: 'old\n', $NEW: proposal });
  const name = 'tabId' in filled ? 'tabId' : 'tab_name';
  return { ...filled, ...(tab !== undefined && { [name]: tab }) };
}

function fill(
  values: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Object.entries(given).reduce((text, [mark, fact]) => text.replace(mark, () => fact), value),
    ]),
  );
}
