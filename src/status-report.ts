/** What `:ClaudeBridgeStatus` shows, as lines for a person. */
import type { LockFileStatus } from './agents/announcement.ts';
import type { SessionStatus } from './agents/session.ts';
import type { AbsolutePath } from './core/ports.ts';
import type { Review } from './core/reviews.ts';
import type { OtherLock } from './platform/other-locks.ts';

export interface StatusFacts {
  readonly port: number | undefined;
  readonly lockFiles: readonly LockFileStatus[];
  readonly folders: readonly AbsolutePath[];
  /** Whether agents are told of open files and the selection. */
  readonly isSharing: boolean;
  readonly waitingMentions: number;
  /** Other editors in these folders. */
  readonly rivals: readonly OtherLock[];
  readonly sessions: readonly SessionStatus[];
  readonly reviews: readonly Review[];
  readonly kernels: readonly string[];
  /** Wall clock, ms. */
  readonly now: number;
}

const STATES: Readonly<Record<SessionStatus['state'], string>> = {
  open: 'socket open, handshake not begun',
  initializing: 'handshake not finished',
  ready: 'ready',
};
const NOT_SHARED = 'Agents are told nothing of open files and the selection; :ClaudeSharing on';

export function reportStatus(facts: StatusFacts): readonly string[] {
  const { port, lockFiles, folders, sessions, reviews } = facts;
  return [
    port === undefined ? 'Starting' : `Listening on port ${port}`,
    ...section('Lock file', lockFiles, (file) => [describeLock(file, facts.now)]),
    ...section('Workspace folders', folders, (folder) => [folder]),
    ...(facts.rivals.length > 0 ? describeRivals(facts.rivals) : []),
    ...describeSharing(facts),
    ...section('Clients', sessions, (session) => describeSession(session, facts.now)),
    ...section('Pending reviews', reviews, (review) => describeReview(review, facts.now)),
    ...(facts.kernels.length > 0 ? section('Kernels', facts.kernels, (label) => [label]) : []),
  ];
}

function section<T>(
  title: string,
  items: readonly T[],
  describe: (item: T) => readonly string[],
): string[] {
  if (items.length === 0) return ['', `${title}: none`];
  return ['', title, ...items.flatMap(describe).map((line) => `  ${line}`)];
}

function describeLock({ path, state, restoredAt }: LockFileStatus, now: number): string {
  if (state === 'missing') {
    return `${path} (missing, and it cannot be written: see :ClaudeBridgeLog)`;
  }
  const restored = restoredAt && ` (was missing, written again ${ago(restoredAt.getTime(), now)})`;
  return path + (restored ?? '');
}

function describeSharing({ isSharing, waitingMentions }: StatusFacts): readonly string[] {
  return [
    ...(isSharing ? [] : ['', NOT_SHARED]),
    ...(waitingMentions > 0 ? ['', `Mentions that wait for an agent: ${waitingMentions}`] : []),
  ];
}

function describeRivals(rivals: readonly OtherLock[]): readonly string[] {
  return [
    ...section('Other editors in these folders', rivals, ({ ideName, pid, path }) => [
      `${ideName}, process ${pid} (${path})`,
    ]),
    '  An agent that is started outside of them may take none by itself: start it with',
    '  :ClaudeBridgeTerminal, or choose in the agent. See :help claude_bridge-recipe-two',
  ];
}

function describeSession(session: SessionStatus, now: number): readonly string[] {
  const { name = 'unknown client', version = '', pid, state, remote, connectedAt } = session;
  const process = pid === undefined ? '' : `, pid ${pid}`;
  const { lastSelectionPush, lastTool } = session;
  return [
    `${`${name} ${version}`.trim()}${process}: ${STATES[state]}`,
    `  connected ${ago(connectedAt.getTime(), now)} from ${remote}`,
    `  selection last sent: ${lastSelectionPush ? ago(lastSelectionPush.getTime(), now) : 'never'}`,
    `  last call: ${lastTool ? `${lastTool.name}, ${ago(lastTool.at.getTime(), now)}` : 'none'}`,
  ];
}

function describeReview({ request, openedAt }: Review, now: number): readonly string[] {
  return [`${request.newPath} (${request.key}), open for ${duration(now - openedAt)}`];
}

const ago = (at: number, now: number): string => `${duration(now - at)} ago`;

/** Rounded to what a person cares for. */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
