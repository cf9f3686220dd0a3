import { claudeCode } from '../../src/agents/claude-code/family.ts';
import { AgentRegistry } from '../../src/agents/registry.ts';
import { SessionHub } from '../../src/agents/sessions.ts';
import { Editor } from '../../src/core/editor.ts';
import type { EditorPort, ReviewEnd, ReviewView, Selection } from '../../src/core/ports.ts';
import { type LineRange, utf16Column } from '../../src/core/positions.ts';
import { Privacy } from '../../src/core/privacy.ts';
import type { Tool, ToolContext } from '../../src/tools/tool.ts';
import { text } from '../../src/tools/tool.ts';
import { WebSocketServer } from '../../src/transport/websocket-server.ts';
import { MemoryLogger } from '../support/logger.ts';
import { Peer } from '../support/peer.ts';

const TOKEN = '11111111-2222-4333-8444-555555555555';

export function selectionAt(path: string, line: number, chars: string): Selection {
  const at = (character: number) => ({ line, character: utf16Column(character) });
  return { path, text: chars, range: { start: at(0), end: at(chars.length) } };
}

/** The core on an editor in memory, which shows reviews and notes how they end. */
export function memoryEditor() {
  const openReviews = new Map<string, ReviewView>();
  const ended: ReviewEnd[] = [];
  const port = {
    openReview: async (view: ReviewView) => void openReviews.set(view.id, view),
    reviewText: async () => undefined,
    closeReview: async (id: string, end: ReviewEnd) => {
      openReviews.delete(id);
      ended.push(end);
    },
    reloadFiles: async () => {},
    notify: () => {},
    currentSelection: unused,
    openEditors: unused,
    diagnostics: unused,
    document: unused,
    openFile: unused,
    saveDocument: unused,
  } satisfies EditorPort;
  const privacy = new Privacy({ exclude: [] });
  const editor = new Editor({ port, logger: new MemoryLogger(), privacy });
  const select = (selection: Selection) => editor.handle({ kind: 'selection', selection });
  const mention = (path: string, lines?: LineRange) =>
    editor.handle({ kind: 'mention', path, lines });
  return { editor, editorPort: port, openReviews, ended, select, mention };
}

async function unused(): Promise<never> {
  throw new Error('not asked for in these tests');
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
  const memory = memoryEditor();
  const info = { name: 'claude-bridge.nvim', version: '0.1.0' };
  const hub = new SessionHub({ editor: memory.editor, registry, logger, info });
  const server = await WebSocketServer.start({
    logger,
    token: TOKEN,
    tokenIn: (headers) => registry.tokenIn(headers),
    onConnection: (connection) => hub.accept(connection),
  });
  const { port } = server;
  return {
    ...memory,
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
