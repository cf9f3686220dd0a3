/** What a language server says of an edit reaches the model before its next word. */
import { test } from 'vitest';
import { VERSIONS } from './support/install.ts';
import { edit, read } from './support/model.ts';
import { ask, Scene } from './support/scene.ts';

/** Stands in for a language server: it complains a moment after the text has changed. */
const COMPLAINER = `
local namespace = vim.api.nvim_create_namespace('complainer')
local function look(buffer)
  local line = vim.api.nvim_buf_get_lines(buffer, 1, 2, false)[1] or ''
  local found = line:find('BETA', 1, true)
  vim.diagnostic.set(namespace, buffer, found and {
    { lnum = 1, col = 0, message = 'shouting is rude', severity = 1, source = 'manners', code = 7 },
  } or {})
end
vim.api.nvim_create_autocmd('BufReadPost', {
  pattern = 'a.txt',
  callback = function(args)
    look(args.buf)
    local later = function() vim.defer_fn(function() look(args.buf) end, 300) end
    vim.api.nvim_buf_attach(args.buf, false, { on_lines = later, on_reload = later })
  end,
})`;

test.each(VERSIONS)('%s: new diagnostics are told to the model', async (version) => {
  const scene = await Scene.play({
    files: { 'a.txt': 'alpha\nbeta\n' },
    version,
    init: COMPLAINER,
    script: (scene) => [[read(scene.path('a.txt'))], [edit(scene.path('a.txt'), 'beta', 'BETA')]],
  });
  await ask(scene.cli, 'edit');
  await scene.nvim.showsDiff();
  await scene.nvim.command('w');
  await scene.modelHears(
    /new diagnostic issues[\s\S]*a\.txt:[\s\S]*shouting is rude \[7\] \(manners\)/,
  );
});
