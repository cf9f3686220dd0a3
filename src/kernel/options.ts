/** The options of running code, as the editor's side sends them. */
import { z } from 'zod';

const Milliseconds = z.int().min(0).max(2_147_483_647);

export const KernelOptions = z.object({
  allow: z.enum(['ask', 'always', 'never']),
  /** The kernel of notebooks that name none. */
  name: z.string().min(1).optional(),
  /** Joins this kernel instead of starting one: a path, or a file name in Jupyter's runtime folder. */
  connection_file: z.string().min(1).optional(),
  /** 0: no limit. */
  timeout_ms: Milliseconds,
  startup_timeout_ms: Milliseconds,
  max_output_bytes: z.int().min(1_000),
  max_image_bytes: z.int().min(0),
});
export type KernelOptions = z.output<typeof KernelOptions>;
