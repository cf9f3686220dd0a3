/** The remote plugin: one function, by which Lua tells everything, and the end of its process. */
import path from 'node:path';
import process from 'node:process';
import type { NvimPlugin } from 'neovim';
import { App } from './app.ts';

/** Called by `rplugin/node/claude_bridge.cjs`, also when only the manifest is being written. */
export function register(plugin: NvimPlugin): void {
  const app = new App({ nvim: plugin.nvim, process, root: path.dirname(__dirname) });
  plugin.registerFunction('ClaudeBridgeNotify', (args: unknown[]) => app.handle(args[0]), {
    sync: false,
  });
}
