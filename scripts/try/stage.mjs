// A home and a copy of the sample workspace, both for one run alone.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inProject, ROOT } from '../lib/project.mjs';

export const XDG = {
  XDG_CONFIG_HOME: '.config',
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
};

export function prepareStage() {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'claude-bridge-try-')));
  const home = path.join(root, 'home');
  const workspace = path.join(root, 'workspace');
  fs.mkdirSync(home);
  fs.cpSync(inProject('scripts/try/workspace'), workspace, { recursive: true });
  const xdg = Object.fromEntries(
    Object.entries(XDG).map(([name, folder]) => [name, path.join(home, folder)]),
  );
  const env = { ...process.env, ...xdg, CLAUDE_BRIDGE_TRY_PLUGIN: ROOT };
  // A Neovim around this one is not the one to be found by the agent.
  for (const name of ['NVIM', 'NVIM_LISTEN_ADDRESS', 'NVIM_APPNAME']) delete env[name];
  const init = ['--clean', '-u', inProject('scripts/try/init.lua')];
  return { root, home, workspace, xdg, env, init, plugin: ROOT };
}
