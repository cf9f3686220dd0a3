/** The folders by which an agent finds this editor. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Context } from '../support/context.ts';
import { tempDir } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let context: Context;
const root = tempDir();
afterEach(() => context.dispose());

const folder = (name: string) => {
  const full = path.join(root, name);
  fs.mkdirSync(full, { recursive: true });
  return full;
};
const folders = () => context.of('workspace').at(-1)?.folders;
const started = async (cwd: string, env: Record<string, string> = {}) => {
  context = await Context.start({ cwd, env });
  await waitFor(() => expect(folders()).toBeDefined());
};

test('the working directory, as typed and as it is', async () => {
  const real = folder('real');
  const link = path.join(root, 'link');
  fs.symlinkSync(real, link);
  await started(link, { PWD: link });
  expect(folders()).toEqual([link, real]);
});

test('a PWD that names another folder is not believed', async () => {
  const real = folder('real');
  await started(real, { PWD: folder('elsewhere') });
  expect(folders()).toEqual([real]);
});

test('the root of the project around it', async () => {
  const sub = folder('project/sub/deep');
  folder('project/.git');
  await started(sub);
  expect(folders()).toEqual([sub, path.join(root, 'project')]);
});

test('each change of directory, through links too', async () => {
  const one = folder('one');
  const two = folder('two');
  const link = path.join(root, 'to-two');
  fs.symlinkSync(two, link);
  await started(one);
  await context.nvim.command(`cd ${two}`);
  await waitFor(() => expect(folders()).toEqual([two]));
  await context.nvim.command(`cd ${link}`);
  await waitFor(() => expect(folders()).toEqual([link, two]));
  await context.nvim.command(`cd ${one}`);
  await waitFor(() => expect(folders()).toEqual([one]));
});

test('directories of tabpage and window', async () => {
  const [one, two, three] = [folder('one'), folder('two'), folder('three')];
  await started(one);
  await context.nvim.command(`tcd ${two}`);
  await waitFor(() => expect(folders()).toEqual([two, one]));
  await context.nvim.command(`split | lcd ${three}`);
  await waitFor(() => expect(folders()).toEqual([three, two, one]));
  await context.nvim.command('wincmd p');
  await waitFor(() => expect(folders()).toEqual([two, one]));
});

test('folders of language servers, except those that would claim everything', async () => {
  const one = folder('one');
  await started(one);
  await context.nvim.lua(
    `local folders = vim.tbl_map(function(folder)
       return { uri = vim.uri_from_fname(folder), name = folder }
     end, { ... })
     vim.lsp.start({
       name = 'fake',
       workspace_folders = folders,
       cmd = function()
         return {
           request = function(method, _, callback)
             if method == 'initialize' then callback(nil, { capabilities = {} }) end
             return true, 1
           end,
           notify = function() return true end,
           is_closing = function() return false end,
           terminate = function() end,
         }
       end,
     })`,
    [folder('a b [x]'), '/', context.nvim.home],
  );
  await waitFor(() => expect(folders()).toEqual([one, folder('a b [x]')]));
});

test('a working directory that was removed costs nothing', async () => {
  const gone = folder('gone');
  await started(gone);
  fs.rmSync(gone, { recursive: true });
  await context.nvim.lua(`require('claude_bridge.events').start()`);
  await context.nvim.command(`cd ${root}`);
  await waitFor(() => expect(folders()).toEqual([root]));
});
