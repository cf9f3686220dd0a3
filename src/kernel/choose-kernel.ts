/** Which kernel a notebook runs on. */
import path from 'node:path';
import type { Notebook } from '../core/code-runner.ts';
import { BridgeError } from '../core/errors.ts';
import type { KernelSpec } from './kernelspec.ts';
import type { NotebookKernel } from './notebook-metadata.ts';

const DEFAULT_LANGUAGE = 'python';
const DEFAULT_KERNEL = 'python3';

/**
 * The kernel that the notebook names, else that of the option, else the usual one of its language.
 * @throws BridgeError `unavailable` naming what is installed
 */
export function chooseKernel(
  notebook: Notebook,
  named: NotebookKernel,
  option: string | undefined,
  installed: readonly KernelSpec[],
): KernelSpec {
  const byName = (name: string | undefined) =>
    name === undefined
      ? undefined
      : installed.find((spec) => spec.name.toLowerCase() === name.toLowerCase());
  const wished = byName(named.name) ?? byName(option);
  if (wished) return wished;
  const missing = named.name ?? option;
  if (missing !== undefined) throw notInstalled(notebook, missing, installed);
  const language = (named.language ?? notebook.language ?? DEFAULT_LANGUAGE).toLowerCase();
  const usual = language === DEFAULT_LANGUAGE ? byName(DEFAULT_KERNEL) : undefined;
  const spec = usual ?? installed.find((one) => one.language.toLowerCase() === language);
  if (spec) return spec;
  throw notInstalled(notebook, `for ${language}`, installed);
}

function notInstalled(notebook: Notebook, wanted: string, installed: readonly KernelSpec[]) {
  const names = installed.map(({ name }) => name).join(', ') || 'none';
  const cure = wanted.includes('python')
    ? 'install ipykernel ("python3 -m pip install ipykernel", or the package python3-ipykernel)'
    : 'install it';
  return new BridgeError(
    'unavailable',
    `The Jupyter kernel ${wanted} of ${path.basename(notebook.path)} is not installed (installed: ${names}): ${cure}, or name another one in the notebook or in the option kernel.name.`,
  );
}
