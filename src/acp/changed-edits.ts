/** Sees to it that what the user made of a proposal is what the file holds in the end. */
import { readFile } from 'node:fs/promises';
import type { Disposable } from '../core/disposable.ts';
import { messageOf } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { BufferPort, SessionSink } from '../session/ports.ts';
import { type Edited, EditedProposals } from './edits.ts';

export interface ChangedEditsOptions {
  readonly buffers: BufferPort;
  readonly sink: SessionSink;
  readonly logger: Logger;
}

export class ChangedEdits extends EditedProposals implements Disposable {
  readonly #over = new AbortController();

  constructor(private readonly options: ChangedEditsOptions) {
    super();
  }

  /** The agent has written by itself: its text is replaced, where it is the one it proposed. */
  toolEnds(tool: string): void {
    for (const edited of this.forTool(tool)) this.#put(edited);
  }

  /** Edits that the agent did not make after all are the user's still. */
  endTurn(): void {
    for (const edited of this.all()) this.#put(edited);
  }

  dispose(): void {
    this.#over.abort();
  }

  #put(edited: Edited): void {
    this.#write(edited).catch((error: unknown) => {
      const text = `Your changes to ${edited.path} were not made: ${messageOf(error)}`;
      this.options.sink.update({ kind: 'notice', level: 'error', text, alert: true });
    });
  }

  async #write({ path, proposed, edited }: Edited): Promise<void> {
    const { buffers, sink } = this.options;
    const onDisk = await readFile(path, 'utf8').catch(() => '');
    if (onDisk === edited) return;
    if (onDisk === proposed) {
      await buffers.write(path, edited);
      return;
    }
    // It holds something else by now: the user decides.
    const edit = { path, before: onDisk, after: edited };
    const outcome = await sink.review(edit, this.#over.signal);
    if (outcome.kind === 'accepted') await buffers.write(path, outcome.text);
  }
}
