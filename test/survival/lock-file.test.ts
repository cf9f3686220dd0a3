/** Agents find the editor, whatever becomes of its lock file, its folder and its disk. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type BridgeOptions,
  isRunning,
  startBridge,
  type TestBridge,
  whenReady,
} from '../support/bridge.ts';
import { removeFolder, startNvim, type TestNvim, tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';
import { canMount, SmallDisk } from './support.ts';

const bridges: TestBridge[] = [];
const nvims: TestNvim[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(bridges.splice(0).map((bridge) => bridge.dispose()));
  await Promise.all(nvims.splice(0).map((nvim) => nvim.dispose()));
  for (const folder of folders.splice(0)) await removeFolder(folder);
});

async function start(options: BridgeOptions = {}): Promise<TestBridge> {
  const bridge = await startBridge(options);
  bridges.push(bridge);
  return bridge;
}

function folder(): string {
  const made = tempDir();
  folders.push(made);
  return made;
}

const read = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;

/** The file is there, whole, ours, and nothing else is beside it. */
async function expectRight({ lockFile, token, nvim }: TestBridge): Promise<void> {
  const pid = await nvim.lua('return vim.fn.getpid()');
  await waitFor(() => {
    expect(fs.lstatSync(lockFile).isFile()).toBe(true);
    expect(fs.statSync(lockFile).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(lockFile)).mode & 0o777).toBe(0o700);
    expect(read(lockFile)).toMatchObject({ authToken: token, pid });
    expect(fs.readdirSync(path.dirname(lockFile))).toEqual([path.basename(lockFile)]);
  });
}

describe('without a client that asks, the lock file comes back when it', () => {
  const victim = () => {
    const file = path.join(folder(), 'victim');
    fs.writeFileSync(file, 'precious');
    return file;
  };
  const faults: Record<string, (lock: string, victim: string) => void> = {
    'is deleted': (lock) => fs.rmSync(lock),
    'is emptied': (lock) => fs.truncateSync(lock),
    'is replaced by another': (lock) => {
      fs.writeFileSync(`${lock}.new`, JSON.stringify({ pid: 1, authToken: 'theirs' }));
      fs.renameSync(`${lock}.new`, lock);
    },
    'is made readable by all': (lock) => fs.chmodSync(lock, 0o644),
    'becomes a link to another file': (lock, file) => {
      fs.rmSync(lock);
      fs.symlinkSync(file, lock);
    },
    'becomes a link to nowhere': (lock) => {
      fs.rmSync(lock);
      fs.symlinkSync('/nowhere/at/all', lock);
    },
    'goes with its folder': (lock) => fs.rmSync(path.dirname(lock), { recursive: true }),
    'goes with the configuration': (lock) =>
      fs.rmSync(path.dirname(path.dirname(lock)), { recursive: true }),
  };
  test.each(Object.keys(faults))('%s', async (fault) => {
    const bridge = await start();
    const file = victim();
    faults[fault]?.(bridge.lockFile, file);
    await waitFor(() => fs.accessSync(bridge.lockFile));
    await expectRight(bridge);
    expect(fs.readFileSync(file, 'utf8')).toBe('precious');
    // And once more, since the folder may be another one now.
    fs.rmSync(bridge.lockFile);
    await expectRight(bridge);
  });

  test('becomes a folder, as soon as that is gone', async () => {
    const bridge = await start();
    const peer = await bridge.peer();
    fs.rmSync(bridge.lockFile);
    fs.mkdirSync(bridge.lockFile);
    await bridge.nvim.command('cd /');
    await waitFor(async () =>
      expect(await bridge.nvim.messages()).toMatch(/Cannot write the lock file/),
    );
    expect(await peer.callTexts('closeAllDiffTabs')).toEqual(['CLOSED_0_DIFF_TABS']);
    fs.rmdirSync(bridge.lockFile);
    await expectRight(bridge);
  });
});

describe('where ~/.claude', () => {
  test('is a link to elsewhere, the lock file is there', async () => {
    const elsewhere = folder();
    fs.chmodSync(elsewhere, 0o755);
    const config = path.join(folder(), 'link');
    fs.symlinkSync(elsewhere, config);
    const bridge = await start({ env: { CLAUDE_CONFIG_DIR: config } });
    await expectRight(bridge);
    expect(fs.existsSync(path.join(elsewhere, 'ide', path.basename(bridge.lockFile)))).toBe(true);
    // Its own mode is the user's affair.
    expect(fs.statSync(elsewhere).mode & 0o777).toBe(0o755);
    expect(fs.lstatSync(config).isSymbolicLink()).toBe(true);
  });

  test('is a link to nowhere, that is said in one line', async () => {
    const nvim = await startNvim();
    nvims.push(nvim);
    fs.symlinkSync('/nowhere/at/all', path.join(nvim.home, '.claude'));
    await nvim.command('runtime plugin/claude_bridge.lua');
    await nvim.command('ClaudeBridgeStart');
    await waitFor(async () =>
      expect(await nvim.messages()).toMatch(/could not start: Cannot write the lock file/),
    );
    expect((await nvim.messages()).trim().split('\n')).toHaveLength(1);
  });
});

describe.skipIf(!canMount)('on a disk of its own', () => {
  const disks: SmallDisk[] = [];
  afterEach(() => {
    for (const disk of disks.splice(0)) disk.dispose();
  });
  const newDisk = () => {
    const disk = new SmallDisk();
    disks.push(disk);
    return disk;
  };
  const failed = async (nvim: TestNvim) => {
    await waitFor(async () =>
      expect(await nvim.messages()).toMatch(/could not start: Cannot write the lock file/),
    );
    expect((await nvim.messages()).trim().split('\n')).toHaveLength(1);
    await waitFor(async () =>
      expect(await nvim.lua(`return require('claude_bridge.host').job()`)).toBeNull(),
    );
  };

  test.each(['full', 'read-only'])(
    'that is %s: no start, one line, and then a start',
    async (how) => {
      const disk = newDisk();
      if (how === 'full') disk.fill();
      else disk.setReadOnly(true);
      const nvim = await startNvim({ env: { CLAUDE_CONFIG_DIR: disk.path } });
      nvims.push(nvim);
      await nvim.command('runtime plugin/claude_bridge.lua');
      await nvim.command('ClaudeBridgeStart');
      await failed(nvim);
      const ide = path.join(disk.path, 'ide');
      expect(fs.existsSync(ide) ? fs.readdirSync(ide) : []).toEqual([]);
      if (how === 'full') disk.free();
      else disk.setReadOnly(false);
      await nvim.command('ClaudeBridgeStart');
      const { lockFile } = await whenReady(nvim);
      expect(fs.readdirSync(ide)).toEqual([path.basename(lockFile)]);
    },
  );

  test.each(['full', 'read-only'])(
    'that becomes %s: clients go on, the old file stays',
    async (how) => {
      const disk = newDisk();
      const state = { XDG_STATE_HOME: path.join(disk.path, 'state') };
      const bridge = await start({
        env: { CLAUDE_CONFIG_DIR: disk.path, ...state },
        files: { 'sub/a.txt': 'a\n' },
        options: { log: { level: 'debug' } },
      });
      const peer = await bridge.peer();
      const before = read(bridge.lockFile);
      if (how === 'full') disk.fill();
      else disk.setReadOnly(true);
      await bridge.nvim.command('cd sub');
      await waitFor(async () =>
        expect(await bridge.nvim.messages()).toMatch(/Cannot write the lock file/),
      );
      expect(read(bridge.lockFile)).toEqual(before);
      const filePath = path.join(bridge.workspace, 'sub/a.txt');
      expect(await peer.callTexts('openFile', { filePath })).toEqual([`Opened file: ${filePath}`]);
      if (how === 'full') disk.free();
      else disk.setReadOnly(false);
      await bridge.nvim.command('cd ..');
      await bridge.nvim.command('cd sub');
      await waitFor(() =>
        expect(read(bridge.lockFile)['workspaceFolders']).toContain(path.dirname(filePath)),
      );
      expect(fs.readdirSync(path.dirname(bridge.lockFile))).toEqual([
        path.basename(bridge.lockFile),
      ]);
    },
  );
});

describe('the working directory', () => {
  test('is removed: tools go on, and so does a new process', async () => {
    const bridge = await start({ files: { 'sub/x.txt': 'x\n', 'a.txt': 'a\n' } });
    await bridge.nvim.command('cd sub');
    fs.rmSync(path.join(bridge.workspace, 'sub'), { recursive: true });
    await bridge.nvim.command('doautocmd DirChanged global');
    await bridge.nvim.lua(`require('claude_bridge.workspace').folders()`);
    const filePath = path.join(bridge.workspace, 'sub/x.txt');
    const peer = await bridge.peer();
    expect(await peer.call('openFile', { filePath })).toMatchObject({ isError: true });
    expect(await peer.callTexts('getOpenEditors')).toHaveLength(1);
    const pid = await bridge.nodePid();
    process.kill(pid, 'SIGKILL');
    await waitFor(async () => expect(await bridge.nodePid()).not.toBe(pid));
    await whenReady(bridge.nvim);
    await expectRight(bridge);
    await bridge.nvim.command('cd ..').catch(() => bridge.nvim.command(`cd ${bridge.workspace}`));
    await waitFor(() =>
      expect(read(bridge.lockFile)['workspaceFolders']).toContain(bridge.workspace),
    );
    expect(await bridge.nvim.messages()).not.toMatch(/E\d+:/);
  });
});

describe('many', () => {
  test('ten Neovims start at once in one folder', async () => {
    const config = folder();
    await Promise.all(
      Array.from({ length: 10 }, () => start({ env: { CLAUDE_CONFIG_DIR: config } })),
    );
    expect(new Set(bridges.map(({ port }) => port)).size).toBe(10);
    const names = bridges.map(({ lockFile }) => path.basename(lockFile));
    expect(fs.readdirSync(path.join(config, 'ide')).sort()).toEqual(names.sort());
    for (const bridge of bridges) {
      const pid = await bridge.nvim.lua('return vim.fn.getpid()');
      expect(read(bridge.lockFile)).toMatchObject({ pid, authToken: bridge.token });
      expect(await (await bridge.peer()).callTexts('closeAllDiffTabs')).toHaveLength(1);
    }
    // Half of them are killed together with their node processes; the next start clears up.
    const dead = bridges.splice(0, 5);
    for (const { nvim, nodePid } of dead) {
      const pid = await nodePid();
      process.kill(pid, 'SIGSTOP');
      nvim.child.kill('SIGKILL');
      process.kill(pid, 'SIGKILL');
      await waitFor(() => expect(isRunning(pid)).toBe(false));
    }
    await Promise.all(dead.map((bridge) => bridge.dispose()));
    await start({ env: { CLAUDE_CONFIG_DIR: config } });
    const left = bridges.map(({ lockFile }) => path.basename(lockFile));
    expect(fs.readdirSync(path.join(config, 'ide')).sort()).toEqual(left.sort());
  });

  const STARTS = Number(process.env['CLAUDE_BRIDGE_STARTS'] ?? 25);
  test(`${STARTS} starts and stops leave nothing`, { timeout: 600_000 }, async () => {
    const bridge = await start();
    const { nvim, lockFile } = bridge;
    const state = () => nvim.lua<string>(`return require('claude_bridge.host').state()`);
    const is = (wanted: string) =>
      waitFor(async () => expect(await state()).toBe(wanted), { interval: 5 });
    const handles = () => fs.readdirSync(`/proc/${nvim.child.pid}/fd`).length;
    const counts = () =>
      nvim.lua(`local handles = 0
        -- Neovim 0.10 itself does not survive to be asked for them.
        local can_walk = vim.fn.has('nvim-0.11') == 1
        if can_walk then
          vim.uv.walk(function(handle)
            if not handle:is_closing() then handles = handles + 1 end
          end)
        end
        return { #vim.api.nvim_get_autocmds({}), #vim.api.nvim_list_bufs(), #vim.api.nvim_list_chans(), handles }`);
    const cycle = async () => {
      await nvim.command('ClaudeBridgeStop');
      await is('stopped');
      expect(fs.existsSync(lockFile)).toBe(false);
      await nvim.command('ClaudeBridgeStart');
      await is('ready');
    };
    await cycle();
    const before = [handles(), await counts()];
    for (let i = 0; i < STARTS; i += 1) await cycle();
    expect([handles(), await counts()]).toEqual(before);
    await expectRight(bridge);
    expect(await nvim.messages()).toBe('');
  });
});
