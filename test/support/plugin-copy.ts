/** A copy of the plugin's files, for tests of what is missing or out of date in an installation. */
import fs from 'node:fs';
import path from 'node:path';
import { PROJECT } from './nvim.ts';

export interface CopyOptions {
  /** False: not built. */
  built?: boolean;
  /** Of the build; that of the plugin where absent. */
  builtVersion?: string;
}

/** Copies what Neovim loads into `root`, and makes a build that is empty but looks right. */
export function copyPlugin(root: string, options: CopyOptions = {}): void {
  fs.mkdirSync(root, { recursive: true });
  for (const name of ['plugin', 'lua', 'package.json']) {
    fs.cpSync(path.join(PROJECT, name), path.join(root, name), { recursive: true });
  }
  fs.mkdirSync(path.join(root, 'src'));
  fs.writeFileSync(path.join(root, 'src/x.ts'), '');
  if (options.built === false) return;
  const dist = path.join(root, 'dist');
  fs.mkdirSync(dist);
  for (const name of ['host.cjs', 'claude_bridge.cjs']) fs.writeFileSync(path.join(dist, name), '');
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const built = { version: options.builtVersion ?? version };
  fs.writeFileSync(path.join(dist, 'version.json'), JSON.stringify(built));
}
