/** The contents of the kernel's messages, as far as running code needs them. */
import { z } from 'zod';

/** On the wire a string; notebooks on disk, and some kernels, use a list of lines. */
const MultilineString = z.union([
  z.string(),
  z.array(z.string()).transform((lines) => lines.join('')),
]);

export const Status = z.object({ execution_state: z.string() });

export const Stream = z.object({ name: z.string(), text: MultilineString });

export const MimeBundle = z.record(z.string(), z.unknown());
export type MimeBundle = z.output<typeof MimeBundle>;

export const DisplayData = z.object({
  data: MimeBundle,
  transient: z.object({ display_id: z.string().optional() }).optional(),
});

export const ErrorContent = z.object({
  ename: z.string().default('Error'),
  evalue: z.string().default(''),
  traceback: z.array(z.string()).default([]),
});

export const ClearOutput = z.object({ wait: z.boolean().default(false) });

/** `ename` and `evalue` where the status is `error`. */
export const ExecuteReply = z.object({
  status: z.string(),
  ename: z.string().optional().catch(undefined),
  evalue: z.string().default('').catch(''),
});

export const asText = MultilineString;
