/** The whole product: a real Neovim, the built node side, and clients on its socket. */
import fs from 'node:fs';
import path from 'node:path';
import { removeFolder, type StartOptions, startNvim, type TestNvim, tempDir } from './nvim.ts';
import { Peer, type PeerOptions } from './peer.ts';
import { waitFor } from './wait-for.ts';

export interface BridgeInfo {
  readonly port: number;
  readonly token: string;
  readonly lockFile: string;
}

export interface TestBridge extends BridgeInfo {
  readonly nvim: TestNvim;
  /** The working directory of Neovim, real. */
  readonly workspace: string;
  /** Writes files into the workspace; the content as it is. */
  write(files: Readonly<Record<string, string | Buffer>>): void;
  /** A client that has shaken hands. */
  peer(options?: Partial<PeerOptions> & { pid?: number }): Promise<Peer>;
  nodePid(): Promise<number>;
  dispose(): Promise<void>;
}

export interface BridgeOptions extends StartOptions {
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** `vim.g.claude_bridge` */
  readonly options?: Readonly<Record<string, unknown>>;
}

export async function startBridge(options: BridgeOptions = {}): Promise<TestBridge> {
  const workspace = options.cwd ?? tempDir('claude-bridge-ws-');
  writeFiles(workspace, options.files ?? {});
  const nvim = await startNvim({ ...options, cwd: workspace });
  const peers: Peer[] = [];
  await nvim.lua('vim.g.claude_bridge = ...', [options.options ?? {}]);
  await nvim.command('runtime plugin/claude_bridge.lua');
  await nvim.command('ClaudeBridgeStart');
  const info = await whenReady(nvim);
  return {
    ...info,
    nvim,
    workspace,
    write: (files) => writeFiles(workspace, files),
    async peer(peerOptions = {}) {
      const peer = await Peer.ready({ port: info.port, token: info.token, ...peerOptions });
      peers.push(peer);
      return peer;
    },
    nodePid: () => nvim.lua<number>(`return vim.fn.jobpid(require('claude_bridge.host').job())`),
    async dispose() {
      for (const peer of peers) peer.socket.terminate();
      await nvim.dispose();
      await removeFolder(workspace);
    },
  };
}

/** Waits until Neovim has been told that the bridge listens. */
export async function whenReady(nvim: TestNvim): Promise<BridgeInfo> {
  const info = await waitFor(
    async () => {
      const told = await nvim.lua<{
        state: string;
        port?: number;
        lock_files: string[];
        message?: string;
      }>(`local info = vim.deepcopy(require('claude_bridge.session').info())
        info.state = require('claude_bridge.host').state()
        return info`);
      if (told.state === 'failed') throw new Error(`the bridge failed: ${told.message}`);
      if (told.state !== 'ready') throw new Error(`the bridge is ${told.state}`);
      return told;
    },
    { interval: 20 },
  );
  const lockFile = info.lock_files[0] ?? '';
  const lock = JSON.parse(fs.readFileSync(lockFile, 'utf8')) as { authToken: string };
  return { port: Number(path.basename(lockFile, '.lock')), token: lock.authToken, lockFile };
}

function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
}

/** Whether a process runs, a zombie aside. */
export function isRunning(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
