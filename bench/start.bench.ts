/** What the bridge costs before it is used, while it starts, and while nothing happens. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { nvimBinary, PROJECT, startNvim, tempDir } from '../test/support/nvim.ts';
import { median, record, timed } from './support/figures.ts';
import { setStage, startBridge } from './support/stage.ts';

test('start-up of Neovim', () => {
  const folder = tempDir('claude-bridge-bench-');
  const times: number[] = [];
  for (let i = 0; i < 21; i++) {
    const log = path.join(folder, `${i}.log`);
    const args = ['--clean', '--headless', '--cmd', `set rtp^=${PROJECT}`];
    execFileSync(nvimBinary(), [...args, '--startuptime', log, '+qa!'], { stdio: 'ignore' });
    const line = fs
      .readFileSync(log, 'utf8')
      .split('\n')
      .find((text) => text.includes('plugin/claude_bridge.lua'));
    times.push(Number(line?.trim().split(/\s+/)[1]));
  }
  fs.rmSync(folder, { recursive: true });
  record({ what: 'plugin/ at start-up of Neovim', value: median(times), unit: 'ms', limit: 1 });
});

test('start to lock file', async () => {
  const times: number[] = [];
  const stalls: number[] = [];
  for (let i = 0; i < 7; i++) {
    const stage = await setStage({ bridge: false, lines: 10 });
    stalls.push(
      await stage.stallDuring(async () => {
        times.push(await timed(() => startBridge(stage.nvim)));
      }),
    );
  }
  const node = Math.min(
    ...Array.from({ length: 7 }, () => {
      const start = performance.now();
      execFileSync(process.execPath, ['-e', '0']);
      return performance.now() - start;
    }),
  );
  record({
    what: ':ClaudeBridgeStart to lock file',
    value: Math.min(...times),
    unit: 'ms',
    floor: { what: 'node doing nothing', value: node },
    limit: 250,
  });
  record({
    what: 'of which the editor stalls',
    value: Math.min(...stalls),
    unit: 'ms',
    limit: 100,
  });
});

test('memory at rest', async () => {
  const nvim = await startNvim();
  try {
    await startBridge(nvim);
    const pid = await nvim.lua<number>(`for _, channel in ipairs(vim.api.nvim_list_chans()) do
      if channel.argv and table.concat(channel.argv, ' '):find('host.cjs', 1, true) then
        return vim.fn.jobpid(channel.id)
      end
    end`);
    record({ what: 'node process at rest', value: residentMb(pid), unit: 'MB', limit: 90 });
  } finally {
    await nvim.dispose();
  }
});

function residentMb(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (fs.existsSync(status)) {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(status, 'utf8'))?.[1]) / 1024;
  }
  const rss = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(rss) / 1024;
}
