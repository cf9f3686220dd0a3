/** An editor with the bridge running and clients connected, for one benchmark. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startNvim, type TestNvim, tempDir } from '../../test/support/nvim.ts';
import { Peer } from '../../test/support/peer.ts';

const Lock = z.object({ authToken: z.string() });

export interface StageOptions {
  readonly lines?: number;
  readonly clients?: number;
  /** False leaves the bridge off: what Neovim itself costs. */
  readonly bridge?: boolean;
  readonly layout?: 'vertical' | 'inline';
}

export interface Stage {
  readonly nvim: TestNvim;
  /** The file that is open. */
  readonly file: string;
  readonly peers: Peer[];
  readonly peer: Peer;
  /** The largest time between two turns of the editor's event loop while the work ran, ms. */
  stallDuring(work: () => Promise<unknown>): Promise<number>;
  /** The same in processor time of the editor: other load on the machine hardly changes it. */
  turnDuring(work: () => Promise<unknown>): Promise<number>;
  /** Types keys and waits until Neovim has worked them all off; ms. */
  typed(keys: string): Promise<number>;
}

/** Lines that differ, as those of real files do; 76 bytes each with the line break. */
export const linesOf = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, i) => `${String(i).padStart(6)} ${'the quick brown fox jumps '.repeat(3).slice(0, 68)}`,
  );

export async function setStage(options: StageOptions = {}): Promise<Stage> {
  const folder = tempDir('claude-bridge-bench-');
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'file.txt');
  fs.writeFileSync(file, `${linesOf(options.lines ?? 10_000).join('\n')}\n`);
  const nvim = await startNvim({ ui: true, cwd: folder, args: [file] });
  onTestFinished(() => nvim.dispose());
  const peers: Peer[] = [];
  await nvim.lua('vim.g.claude_bridge = { diff = { layout = ... } }', [
    options.layout ?? 'vertical',
  ]);
  if (options.bridge !== false) {
    const port = await startBridge(nvim);
    for (let i = 0; i < (options.clients ?? 1); i++) peers.push(await connect(nvim, port));
  }
  await nvim.lua(METER);
  return {
    nvim,
    file,
    peers,
    get peer() {
      const [first] = peers;
      if (!first) throw new Error('this stage has no client');
      return first;
    },
    stallDuring: (work) => metered(nvim, work, 'return Meter.stop()'),
    turnDuring: (work) => metered(nvim, work, 'return select(2, Meter.stop())'),
    typed: (keys) => typed(nvim, keys),
  };
}

/** @returns the port, once the lock file is there */
export async function startBridge(nvim: TestNvim): Promise<number> {
  await nvim.command('runtime plugin/claude_bridge.lua');
  await nvim.command('ClaudeBridgeStart');
  const locks = () => lockFiles(nvim).length;
  await expect.poll(locks, { timeout: 15_000, interval: 2 }).toBe(1);
  return Number(path.basename(lockFiles(nvim)[0] ?? '', '.lock'));
}

const lockFolder = (nvim: TestNvim): string => path.join(nvim.home, '.claude', 'ide');

function lockFiles(nvim: TestNvim): string[] {
  const folder = lockFolder(nvim);
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => name.endsWith('.lock'));
}

async function connect(nvim: TestNvim, port: number): Promise<Peer> {
  const lock = fs.readFileSync(path.join(lockFolder(nvim), `${port}.lock`), 'utf8');
  const peer = await Peer.ready({ port, token: Lock.parse(JSON.parse(lock)).authToken });
  onTestFinished(() => peer.terminate());
  // What is open is told when the client can hear: from here on nothing is lost.
  await peer.waitFor('selection_changed');
  return peer;
}

/** A timer that fires at each turn of the loop, and remembers the longest turn. */
const METER = `
  local uv = vim.uv
  Meter = { timer = uv.new_timer() }
  function Meter.start()
    Meter.last, Meter.longest = uv.hrtime(), 0
    Meter.clock, Meter.busiest = os.clock(), 0
    Meter.timer:start(0, 1, Meter.turn)
  end
  function Meter.turn()
    local now, clock = uv.hrtime(), os.clock()
    Meter.longest = math.max(Meter.longest, now - Meter.last)
    Meter.busiest = math.max(Meter.busiest, clock - Meter.clock)
    Meter.last, Meter.clock = now, clock
  end
  function Meter.stop()
    Meter.turn()
    Meter.timer:stop()
    return Meter.longest / 1e6, Meter.busiest * 1e3
  end
  function Done(channel)
    vim.rpcnotify(channel, 'claude_bridge_bench_done')
  end`;

async function metered(
  nvim: TestNvim,
  work: () => Promise<unknown>,
  stop: string,
): Promise<number> {
  await nvim.lua('Meter.start()');
  await work();
  return nvim.lua<number>(stop);
}

async function typed(nvim: TestNvim, keys: string): Promise<number> {
  const [channel] = z
    .tuple([z.number()])
    .rest(z.unknown())
    .parse(await nvim.client.request('nvim_get_api_info', []));
  // Mapped in every mode: keys wait in the typeahead, a request would overtake them.
  await nvim.command(`map <F12> <Cmd>lua Done(${channel})<CR>`);
  const done = new Promise<void>((resolve) => {
    const onNotification = (method: string): void => {
      if (method !== 'claude_bridge_bench_done') return;
      nvim.client.off('notification', onNotification);
      resolve();
    };
    nvim.client.on('notification', onNotification);
  });
  const start = performance.now();
  await nvim.input(`${keys}<F12>`);
  await done;
  return performance.now() - start;
}
