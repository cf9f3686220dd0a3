import { afterEach, expect, test } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';
import { waitFor } from '../support/wait-for.ts';

let nvim: TestNvim | undefined;
afterEach(() => nvim?.dispose());

test('notifications of the plugin reach a listener', async () => {
  nvim = await startNvim();
  const events = await nvim.captureNotifications();
  await nvim.lua(`require('claude_bridge.channel').notify({ kind = 'probe', n = 1 })`);
  await waitFor(() => expect(events).toEqual([{ kind: 'probe', n: 1 }]));
});

test('a call past its deadline does nothing', async () => {
  nvim = await startNvim();
  const reply = await nvim.lua(`return require('claude_bridge.rpc').call('ui.notify', {}, 1)`);
  expect(reply).toMatchObject({ ok: false, code: 'expired' });
});

test('a hit-enter prompt blocks a user interface', async () => {
  nvim = await startNvim({ ui: true });
  await nvim.input(':echo "a\\nb\\nc"<CR>');
  await waitFor(async () =>
    expect(await nvim?.client.request('nvim_get_mode', [])).toMatchObject({ blocking: true }),
  );
});
