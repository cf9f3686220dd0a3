/**
 * What the families share that speak the IDE protocol of Claude Code, each in its own way: the
 * lock file, the parameters of notifications and answers in blocks.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mention } from '../core/mentions.ts';
import type { AbsolutePath, Selection } from '../core/ports.ts';
import { isEmptyRange, type Position } from '../core/positions.ts';
import type { ReviewAnswers, ToolAnswer } from '../tools/tool.ts';
import type { Advertisement, Environment } from './family.ts';

export interface LockContent {
  readonly pid: number;
  readonly workspaceFolders: readonly AbsolutePath[];
  readonly ideName: string;
  readonly transport: 'ws' | 'sse';
  readonly runningInWindows: boolean;
  readonly authToken: string;
}

export function lockContent(ad: Advertisement, env: Environment): LockContent {
  return {
    pid: ad.editorPid,
    workspaceFolders: ad.workspaceFolders,
    ideName: env.ideName,
    transport: 'ws',
    runningInWindows: env.platform === 'win32',
    authToken: ad.token,
  };
}

/**
 * The folder that a variable names, or one in the home folder. An empty variable counts as unset:
 * taken as a path it would be the working directory.
 */
export function configFolder(env: Environment, variable: string, name: string): AbsolutePath {
  const set = env.variables[variable]?.trim();
  if (!set) return path.join(env.home, name);
  return path.resolve(set.replace(/^~(?=\/|$)/, () => env.home));
}

export interface PlainPosition {
  readonly line: number;
  readonly character: number;
}

export interface SelectionParams {
  readonly text: string;
  readonly filePath: string;
  readonly fileUrl: string;
  readonly selection: {
    readonly start: PlainPosition;
    readonly end: PlainPosition;
    readonly isEmpty: boolean;
  };
}

/**
 * 0-based lines. Each field is always there and no field is null: clients drop a message with a
 * null, and keep the selection that they know.
 */
export function selectionParams(selection: Selection | undefined): SelectionParams {
  if (!selection) {
    // Only an empty path makes a client forget; it ignores a message without a selection.
    const zero = { line: 0, character: 0 };
    return { text: '', filePath: '', fileUrl: '', selection: span(zero, zero, true) };
  }
  const { path: file, text, range } = selection;
  return {
    text,
    filePath: file,
    fileUrl: pathToFileURL(file).href,
    selection: span(plain(range.start), plain(range.end), isEmptyRange(range)),
  };
}

/** 0-based lines, both or none: a first line without a last one is dropped by clients. */
export function mentionParams({ path: file, lines }: Mention): Readonly<Record<string, unknown>> {
  return { filePath: file, ...(lines && { lineStart: lines.first, lineEnd: lines.last }) };
}

/**
 * Outcomes as Claude Code takes them. It takes `TAB_CLOSED` for an acceptance, so a review that
 * ends without the user's word is told as a rejection. Where the user decided in the client's own
 * terminal it ignores this. When the bridge stops nobody has decided: an error leaves the client's
 * own question open. It reads files with CR LF as if they had LF, and writes them as they were.
 */
export const blockAnswers: ReviewAnswers = {
  accepted: (text) => blocks('FILE_SAVED', text),
  rejected: (tabName) => blocks('DIFF_REJECTED', tabName),
  closed: (tabName, end) =>
    end === 'stopped'
      ? { ...blocks('The bridge of Neovim has stopped: decide in the terminal'), isError: true }
      : blocks('DIFF_REJECTED', tabName),
  keepsLineEnds: true,
};

function blocks(...texts: string[]): ToolAnswer {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

const plain = ({ line, character }: Position): PlainPosition => ({ line, character });

const span = (start: PlainPosition, end: PlainPosition, isEmpty: boolean) => ({
  start,
  end,
  isEmpty,
});
