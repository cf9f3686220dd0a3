// What plays `npm run try` without a user: a Neovim with a user interface, and steps that are checked.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { attach } from 'neovim';

const LIMIT_MS = 15_000;
const SIZE = { columns: 120, rows: 40 };

/** node-client takes the console for itself. */
export const say = (line) => process.stdout.write(`${line}\n`);

export class Steps {
  #current = '';
  #failed = false;

  async run(name, work) {
    this.#current = name;
    const value = await work();
    say(`ok      ${name}`);
    return value;
  }

  fail(error) {
    this.#failed = true;
    say(`FAILED  ${this.#current}: ${error.message}`);
  }

  report() {
    say(this.#failed ? 'The loop is broken.' : 'The whole loop works.');
    return this.#failed ? 1 : 0;
  }
}

/** What the user sees, row by row. */
const SCREEN = `
  vim.cmd.redraw()
  local rows = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(row, column)
    end
    rows[row] = table.concat(cells)
  end
  return table.concat(rows, '\\n')`;

const silent = new Proxy({}, { get: () => () => silent });

export async function startEditor(nvim, { init, workspace, env, file }) {
  const args = ['--embed', ...init, file];
  const child = spawn(nvim, args, { cwd: workspace, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const client = attach({ proc: child, options: { logger: silent } });
  // With a user interface, typed keys and prompts are what they are for a user.
  await client.uiAttach(SIZE.columns, SIZE.rows, { ext_linegrid: true });
  return {
    keys: (keys) => client.input(keys),
    hasDiff: () =>
      client.lua(
        'return #vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_list_wins()) == 2',
      ),
    /** Waits until all of it is on the screen. */
    shows: async (...texts) => {
      let screen = '';
      const look = async () => {
        screen = await client.lua(SCREEN);
        return texts.every((text) => screen.includes(text));
      };
      await until(look, `the screen to show ${texts.join(', ')}`).catch((error) => {
        throw new Error(`${error.message}\n${screen}`);
      });
    },
    quit: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      await client.input('<Esc>:qa!<CR>');
      await gone;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

export function lockFiles(home) {
  const folder = path.join(home, '.claude', 'ide');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const locks = names.filter((name) => name.endsWith('.lock'));
  return locks.length > 0 ? locks : undefined;
}

/** Looks again and again until there is a value. */
export async function until(look, what) {
  const end = Date.now() + LIMIT_MS;
  while (Date.now() < end) {
    const value = await look();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`waited in vain for ${what}`);
}
