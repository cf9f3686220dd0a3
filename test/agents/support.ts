import { claudeCode } from '../../src/agents/claude-code/family.ts';
import { AgentRegistry } from '../../src/agents/registry.ts';
import { SessionHub } from '../../src/agents/sessions.ts';
import type { Editor } from '../../src/core/editor.ts';
import { MentionQueue } from '../../src/core/mentions.ts';
import type { EditorEvent, ReviewEnd, Selection } from '../../src/core/ports.ts';
import { utf16Column } from '../../src/core/positions.ts';
import { SelectionTracker } from '../../src/core/selection-tracker.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { text } from '../../src/tools/tool.ts';
import { WebSocketServer } from '../../src/transport/websocket-server.ts';
import { MemoryLogger } from '../support/logger.ts';
import { Peer } from '../support/peer.ts';

export const TOKEN = '11111111-2222-4333-8444-555555555555';

export function selectionAt(path: string, line: number, chars: string): Selection {
  const at = (character: number) => ({ line, character: utf16Column(character) });
  return { path, text: chars, range: { start: at(0), end: at(chars.length) } };
}

/** What sessions use of the editor, and the reviews that they ended. */
export function fakeEditor() {
  const selection = new SelectionTracker({ allows: () => true });
  const mentions = new MentionQueue();
  const endedReviews: [string, ReviewEnd][] = [];
  /** Set to play a review that is open at the end. */
  const hooks = { onReviewsEnd: async (_owner: string, _end: ReviewEnd): Promise<void> => {} };
  const editor = {
    selection,
    onSelection: selection.onChange.bind(selection),
    onMention: mentions.attach.bind(mentions),
    handle: (event: EditorEvent) => {
      if (event.kind === 'mention') mentions.add({ path: event.path, lines: event.lines });
    },
    reviews: {
      closeOwnedBy: async (owner: string, end: ReviewEnd) => {
        endedReviews.push([owner, end]);
        await hooks.onReviewsEnd(owner, end);
        return 0;
      },
    },
  } as unknown as Editor;
  return { editor, selection, mentions, endedReviews, hooks };
}

/** A tool whose work the test does. */
export function tool(name: string, work: (args: unknown, context: ToolContext) => Promise<string>) {
  return {
    name,
    description: `The tool ${name}`,
    inputSchema: { type: 'object' },
    call: async (args, context) => text(await work(args, context)),
  } satisfies Tool;
}

/** The way from the socket to the editor, as the bridge wires it. */
export async function startHub(tools: readonly Tool[] = []) {
  const logger = new MemoryLogger();
  const registry = new AgentRegistry([claudeCode(tools)]);
  const fake = fakeEditor();
  const info = { name: 'claude-bridge.nvim', version: '0.1.0' };
  const hub = new SessionHub({ editor: fake.editor, registry, logger, info });
  const server = await WebSocketServer.start({
    logger,
    token: TOKEN,
    tokenIn: (headers) => registry.tokenIn(headers),
    onConnection: (connection) => hub.accept(connection),
  });
  const { port } = server;
  return {
    ...fake,
    hub,
    server,
    logger,
    port,
    connect: () => Peer.connect({ port, token: TOKEN }),
    ready: (pid?: number) => Peer.ready({ port, token: TOKEN, ...(pid && { pid }) }),
    dispose: async () => {
      await hub.dispose();
      await server.dispose();
    },
  };
}
