/** Builds the live sessions of one bridge, and lets them hear what happens in the editor. */
import { ConfiguredAgents } from './agent-directory.ts';
import { type AsyncDisposable, DisposableStack } from './core/disposable.ts';
import type { Editor } from './core/editor.ts';
import { messageOf } from './core/errors.ts';
import type { Logger } from './core/logger.ts';
import type { AbsolutePath } from './core/ports.ts';
import type { NvimCalls } from './nvim/calls.ts';
import { bufferPort, sessionView } from './nvim/session-view.ts';
import { AgentProcesses } from './platform/agent-process.ts';
import { SessionManager } from './session/manager.ts';
import type { SessionSettings } from './session-settings.ts';

export interface LiveSessionsOptions {
  readonly calls: NvimCalls;
  readonly editor: Editor;
  readonly logger: Logger;
  readonly settings: SessionSettings;
  /** Edits that need a permission are shown in the review view too. */
  readonly reviewEdits: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

const DEFAULT_AGENT = 'claude';
const SETTLE_MS = 500;
const ATTACHMENT_LIMIT = 1024 * 1024;

export class LiveSessions implements AsyncDisposable {
  readonly #manager: SessionManager;
  readonly #processes = new AgentProcesses();
  readonly #owned = new DisposableStack();
  /** Files whose diagnostics have changed and were not told. */
  readonly #changed = new Set<AbsolutePath>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: LiveSessionsOptions) {
    const { calls, editor, logger, settings, reviewEdits, variables, version } = options;
    const buffers = bufferPort(calls);
    const { port, privacy, workspace } = editor;
    this.#manager = new SessionManager({
      view: sessionView(calls, port.notify),
      buffers,
      logger,
      reviews: editor.reviews,
      editor: {
        openFile: (path, line) => openFile(editor, path, line),
        openFiles: async () => (await port.openEditors()).map(({ path }) => path),
        reloadFiles: (paths) => port.reloadFiles(paths),
        mayRead: (path) => !privacy.excludes(path),
        mayTell: (path) => privacy.allows(path),
      },
      agents: new ConfiguredAgents({
        preferred: settings.agent ?? DEFAULT_AGENT,
        agents: settings.agents ?? {},
        start: this.#processes.start,
        buffers,
        folders: () => workspace.folders,
        mayRead: (path) => !privacy.excludes(path),
        variables,
        version,
      }),
      config: {
        attachmentLimit: settings.attachment_limit ?? ATTACHMENT_LIMIT,
        reviewEdits,
      },
    });
    this.#owned.use(
      editor.onSelection((selection) => this.#manager.push({ kind: 'selection', selection })),
    );
    this.#owned.use(editor.onDiagnostics((paths) => this.#noticeChanges(paths)));
    this.#owned.defer(() => clearTimeout(this.#timer));
  }

  /** Takes a `chat_*` event of Lua. */
  handle(event: unknown): void {
    this.#manager.handle(event);
  }

  /** At the end of the process: no agent stays behind. */
  withdraw(): void {
    this.#processes.killAll();
  }

  async dispose(): Promise<void> {
    this.#owned.dispose();
    await this.#manager.dispose();
  }

  /** A language server tells of the same file many times in a row. */
  #noticeChanges(paths: readonly AbsolutePath[]): void {
    if (this.#manager.isEmpty) return;
    for (const path of paths) this.#changed.add(path);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const changed = [...this.#changed];
      this.#changed.clear();
      void this.#pushDiagnostics(changed);
    }, SETTLE_MS);
  }

  async #pushDiagnostics(paths: readonly AbsolutePath[]): Promise<void> {
    const { editor, logger } = this.options;
    try {
      for (const path of paths.filter((one) => editor.privacy.allows(one))) {
        const [file] = await editor.port.diagnostics(path);
        const diagnostics = file?.diagnostics ?? [];
        this.#manager.push({ kind: 'diagnostics', path, diagnostics });
      }
    } catch (error) {
      logger.debug('diagnostics were not read', { reason: messageOf(error) });
    }
  }
}

async function openFile(editor: Editor, path: AbsolutePath, line?: number): Promise<void> {
  await editor.port.openFile({
    path,
    target:
      line === undefined ? { kind: 'none' } : { kind: 'lines', lines: { first: line, last: line } },
    makeFrontmost: true,
    preview: false,
  });
}
