/** The kernels that are installed, found as Jupyter finds them. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { AbsolutePath } from '../core/ports.ts';
import { dataFolders, type Machine } from './jupyter-paths.ts';

const SpecFile = z.object({
  argv: z.array(z.string()).min(1),
  display_name: z.string().optional(),
  language: z.string().default(''),
  env: z.record(z.string(), z.string()).default({}),
  interrupt_mode: z.enum(['signal', 'message']).default('signal'),
});

export interface KernelSpec {
  readonly name: string;
  readonly displayName: string;
  readonly language: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly interruptMode: 'signal' | 'message';
  readonly folder: AbsolutePath;
}

/** All kernels, one of each name; names are compared without case. */
export async function findKernels(machine: Machine): Promise<readonly KernelSpec[]> {
  const found = new Map<string, KernelSpec>();
  for (const folder of await dataFolders(machine)) {
    for (const spec of await kernelsIn(path.join(folder, 'kernels'))) {
      const name = spec.name.toLowerCase();
      if (!found.has(name)) found.set(name, spec);
    }
  }
  return [...found.values()];
}

async function kernelsIn(folder: AbsolutePath): Promise<KernelSpec[]> {
  let names: string[];
  try {
    names = (await fs.readdir(folder)).sort();
  } catch {
    return []; // most of Jupyter's folders do not exist
  }
  const specs = await Promise.all(names.map((name) => readSpec(name, path.join(folder, name))));
  return specs.filter((spec) => spec !== undefined);
}

async function readSpec(name: string, folder: AbsolutePath): Promise<KernelSpec | undefined> {
  try {
    const json = JSON.parse(await fs.readFile(path.join(folder, 'kernel.json'), 'utf8'));
    const { argv, display_name, language, env, interrupt_mode } = SpecFile.parse(json);
    const displayName = display_name ?? name;
    return { name, displayName, language, argv, env, interruptMode: interrupt_mode, folder };
  } catch {
    return undefined; // Jupyter passes over what is no kernel, too
  }
}
