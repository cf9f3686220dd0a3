/** The live sessions of a real Neovim, in the test's own process. */
import { z } from 'zod';
import { Editor } from '../../src/core/editor.ts';
import { Privacy } from '../../src/core/privacy.ts';
import { LiveDoor } from '../../src/live-door.ts';
import { RpcCalls } from '../../src/nvim/calls.ts';
import { contextPort } from '../../src/nvim/context-port.ts';
import { parseEditorEvent } from '../../src/nvim/event-source.ts';
import { reviewPort } from '../../src/nvim/review-port.ts';
import { SessionSettings } from '../../src/session-settings.ts';
import type { TestNvim } from './nvim.ts';
import { silentLogger } from './session-doubles.ts';

export interface LiveNvim {
  readonly editor: Editor;
  /** As if Lua had sent it. */
  tell(event: object): void;
  dispose(): Promise<void>;
}

export async function startLive(
  nvim: TestNvim,
  folder: string,
  settings: z.input<typeof SessionSettings>,
): Promise<LiveNvim> {
  const calls = new RpcCalls(nvim.client);
  const editor = new Editor({
    logger: silentLogger,
    privacy: new Privacy(),
    port: {
      ...contextPort(calls),
      ...reviewPort(calls, { layout: 'vertical', focus: true, jump: true }),
      notify: (level, message) => void calls.lua('ui.notify', { level, message }, z.unknown()),
    },
  });
  editor.workspace.update([folder]);
  const live = new LiveDoor({
    calls,
    editor,
    logger: silentLogger,
    reviewEdits: true,
    variables: {},
    version: '0',
    settings: SessionSettings.parse(settings),
  });
  const pass = (event: object): void => {
    if (live.handle(event)) return;
    const known = parseEditorEvent(event);
    if (known) editor.handle(known);
  };
  const events = await nvim.captureNotifications();
  const push = events.push.bind(events);
  events.push = (...all) => {
    all.forEach(pass);
    return push(...all);
  };
  return {
    editor,
    tell: pass,
    dispose: async () => {
      await live.dispose();
      await editor.dispose();
    },
  };
}
