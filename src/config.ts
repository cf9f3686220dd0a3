/** The options that Lua sends when the bridge starts; `lua/claude_bridge/config/node.lua`. */
import path from 'node:path';
import { z } from 'zod';
import { KernelOptions } from './kernel/options.ts';
import { SessionSettings } from './session-settings.ts';

const AbsolutePath = z.string().refine(path.isAbsolute, 'must be an absolute path');
/** An empty Lua table may arrive as a list or as a dictionary. */
const Strings = z.union([z.array(z.string()), z.record(z.string(), z.never()).transform(() => [])]);

export const BridgeConfig = z.object({
  /** Absent: each family whose client is used on this machine. */
  agents: Strings.optional(),
  host: z.string().min(1),
  /** Names by which agents may call, beside those that every machine has for itself. */
  names: Strings,
  /** 0: any free port. */
  port: z.int().min(0).max(65_535),
  /** Stands in the lock file instead of Neovim's own, for agents in a container. */
  pid: z.int().positive().optional(),
  lock_dir: AbsolutePath.optional(),
  transport: z.enum(['ws', 'sse']),
  ide_name: z.string().min(1),
  share_selection: z.boolean(),
  exclude: Strings,
  /** Whether tools may open and save files outside the workspace. */
  outside_workspace: z.boolean(),
  review_edits: z.boolean(),
  diff: z.object({
    layout: z.enum(['vertical', 'horizontal', 'tab', 'inline']),
    focus: z.boolean(),
    jump: z.boolean(),
  }),
  kernel: KernelOptions,
  session: SessionSettings.optional(),
  log_level: z.enum(['debug', 'info', 'warn', 'error']),
  log_path: AbsolutePath,
});
export type BridgeConfig = z.output<typeof BridgeConfig>;

/** What Lua says to start the bridge. */
export const StartRequest = z.object({
  kind: z.literal('start'),
  config: BridgeConfig,
  editor_pid: z.int().positive(),
  /** The workspace as it is now; changes follow as events. */
  folders: Strings,
  /** Of an earlier bridge of the same Neovim: its clients come back by the same port and token. */
  session: z.object({ port: z.int().min(1).max(65_535), token: z.string().min(16) }).optional(),
});
export type StartRequest = z.output<typeof StartRequest>;
