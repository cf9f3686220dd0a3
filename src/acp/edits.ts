/**
 * Edits that hang on a permission. The protocol shows a diff, whole or in part, and takes yes or
 * no; what the user makes of the proposal is put in its place when the agent writes.
 */
import type { AbsolutePath } from '../core/ports.ts';
import type { FileDiff } from '../session/model.ts';

export interface Edited {
  readonly tool: string;
  readonly path: AbsolutePath;
  readonly proposed: string;
  readonly edited: string;
}

export class EditedProposals {
  readonly #pending = new Set<Edited>();

  remember(edited: Edited): void {
    this.#pending.add(edited);
  }

  /** The agent writes through the editor: what to write instead. */
  forWrite(path: AbsolutePath, content: string): string {
    for (const pending of this.#pending) {
      if (pending.path === path && pending.proposed === content) {
        this.#pending.delete(pending);
        return pending.edited;
      }
    }
    return content;
  }

  /** The agent has finished a call and did not write through the editor. */
  forTool(tool: string): readonly Edited[] {
    const found = [...this.#pending].filter((pending) => pending.tool === tool);
    for (const pending of found) this.#pending.delete(pending);
    return found;
  }

  /** Takes all of them out. */
  all(): readonly Edited[] {
    const all = [...this.#pending];
    this.#pending.clear();
    return all;
  }
}

/**
 * The whole text before and after an edit of which an agent may have shown a part only.
 * @param current the file as it stands; undefined where there is none.
 * @returns undefined where it cannot be told which part is meant.
 */
export function wholeEdit(diff: FileDiff, current: string | undefined): FileDiff | undefined {
  const { path, before, after } = diff;
  if (before === undefined || current === undefined || before === current) {
    return { path, ...(current !== undefined && { before: current }), after };
  }
  const at = current.indexOf(before);
  if (before === '' || at < 0 || current.indexOf(before, at + 1) >= 0) return undefined;
  const whole = current.slice(0, at) + after + current.slice(at + before.length);
  return { path, before: current, after: whole };
}
