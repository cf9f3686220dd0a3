/** The options of live sessions that Lua sends when the bridge starts. */
import path from 'node:path';
import { z } from 'zod';

const AbsolutePath = z.string().refine(path.isAbsolute, 'must be an absolute path');
const text = z.string().min(1);

/** An empty Lua table arrives as a list. */
const emptyList = z
  .array(z.never())
  .length(0)
  .transform(() => ({}));
const record = <T extends z.ZodType>(value: T) => z.union([z.record(z.string(), value), emptyList]);

export const AgentSettings = z.object({
  /** How the agent is spoken to. */
  dialect: z.enum(['acp', 'bus', 'sid-bridge']).optional(),
  /** The program and its arguments; `{url}` stands for where it is to call. */
  command: z.array(text).min(1).optional(),
  /** `false` takes a variable away. */
  env: record(z.union([z.string(), z.literal(false)])).optional(),
  /** The mode to begin in. */
  mode: text.optional(),
  /** Where an agent of the bus listens: ws, wss, http or https. */
  url: z.url({ protocol: /^(wss?|https?)$/ }).optional(),
  /** Where this editor listens for the agent. */
  listen: z
    .object({
      host: text.optional(),
      port: z.int().min(0).max(65_535).optional(),
      /** Files in PEM form; needed for any host but this machine. */
      cert: AbsolutePath.optional(),
      key: AbsolutePath.optional(),
    })
    .optional(),
  /** The variable that holds the secret of a remote session. */
  secret_env: text.optional(),
});
export type AgentSettings = z.output<typeof AgentSettings>;

export const SessionSettings = z.object({
  /** For `:ClaudeSession` without a name. */
  agent: text.optional(),
  /** Added to those that are built in, or in their place. */
  agents: record(AgentSettings).optional(),
  /** Bytes of one attachment; a larger file is named, not sent. */
  attachment_limit: z.int().positive().optional(),
});
export type SessionSettings = z.output<typeof SessionSettings>;
