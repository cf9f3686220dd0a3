/** What Neovim, its node process and the disk hold. */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { TestBridge } from '../support/bridge.ts';
import { waitFor } from '../support/wait-for.ts';

const NodeReport = z.object({
  heapUsed: z.number(),
  external: z.number(),
  rss: z.number(),
  files: z.number(),
  resources: z.record(z.string(), z.number()),
});

const NvimReport = z.object({
  buffers: z.number(),
  windows: z.number(),
  tabpages: z.number(),
  autocommands: z.number(),
  channels: z.number(),
  handles: z.number(),
  extmarks: z.number(),
  lua: z.number(),
});

export interface Measure {
  readonly nvim: z.output<typeof NvimReport> & { readonly files: number; readonly rss: number };
  readonly node: z.output<typeof NodeReport>;
  /** The names in the folder of the lock files, and in the workspace. */
  readonly disk: { readonly locks: number; readonly workspace: string };
}

const NVIM = `
  collectgarbage()
  collectgarbage()
  local handles = 0
  -- Neovim 0.10 itself does not survive to be asked for them.
  if vim.fn.has('nvim-0.11') == 1 then
    vim.uv.walk(function(handle)
      if not handle:is_closing() then handles = handles + 1 end
    end)
  end
  local marks = 0
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    marks = marks + #vim.api.nvim_buf_get_extmarks(buffer, -1, 0, -1, {})
  end
  return {
    buffers = #vim.api.nvim_list_bufs(),
    windows = #vim.api.nvim_list_wins(),
    tabpages = #vim.api.nvim_list_tabpages(),
    autocommands = #vim.api.nvim_get_autocmds({}),
    channels = #vim.api.nvim_list_chans(),
    handles = handles,
    extmarks = marks,
    lua = math.floor(collectgarbage('count')),
  }`;

export async function measure(bridge: TestBridge, probe: string): Promise<Measure> {
  const pid = bridge.nvim.child.pid ?? 0;
  const nvim = NvimReport.parse(await bridge.nvim.lua(NVIM));
  const rss =
    Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  fs.rmSync(probe, { force: true });
  process.kill(await bridge.nodePid(), 'SIGUSR2');
  const report = await waitFor(() => fs.readFileSync(probe, 'utf8'));
  return {
    nvim: { ...nvim, rss, files: fs.readdirSync(`/proc/${pid}/fd`).length },
    node: NodeReport.parse(JSON.parse(report)),
    disk: {
      locks: fs.readdirSync(path.dirname(bridge.lockFile)).length,
      workspace: fs.readdirSync(bridge.workspace).sort().join(' '),
    },
  };
}
