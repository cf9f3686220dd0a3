/** Reviews as Neovim shows them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { BridgeError } from '../core/errors.ts';
import type { EditorPort, ReviewEnd, ReviewView } from '../core/ports.ts';
import { toView } from '../core/review-text.ts';
import type { NvimCalls } from './calls.ts';
import { EditedText } from './review-events.ts';

export interface ReviewSettings {
  readonly layout: 'vertical' | 'horizontal' | 'tab' | 'inline';
  /** False leaves the focus where it is when a review opens. */
  readonly focus: boolean;
  /** Puts the cursor on the first change. */
  readonly jump: boolean;
}

export interface ReviewLimits {
  /** How long each step of opening may take, as while Neovim waits at a prompt. */
  readonly openMs: number;
  /** After each attempt of this length the request is made again, so that none comes late. */
  readonly attemptMs: number;
  /** How long a caller waits for a view to go; it goes later all the same. */
  readonly closeMs: number;
}

const LIMITS: ReviewLimits = { openMs: 10_000, attemptMs: 1_000, closeMs: 1_000 };
/** What cannot be done at a prompt is done when it is answered, be it after lunch. */
const STANDS_MS = 24 * 3_600_000;
const RETRY_MS = 50;
/** Lines go to a hidden buffer in slices of this size, each too small for the user to feel. */
const SLICE_CHARS = 256 * 1024;

type ReviewPort = Pick<EditorPort, 'openReview' | 'reviewText' | 'closeReview' | 'reloadFiles'>;

export function reviewPort(
  calls: NvimCalls,
  settings: ReviewSettings,
  limits: ReviewLimits = LIMITS,
): ReviewPort {
  return {
    openReview: (view, signal) => openReview(calls, settings, limits, view, signal),
    reviewText: (id) => calls.lua('review.text', { id }, EditedText.optional()),
    closeReview: (id, end) => closeReview(calls, limits, id, end),
    reloadFiles: async (paths) => {
      if (paths.length > 0) await calls.lua('documents.reload', { paths }, z.unknown(), STANDS_MS);
    },
  };
}

async function openReview(
  calls: NvimCalls,
  settings: ReviewSettings,
  limits: ReviewLimits,
  view: ReviewView,
  signal: AbortSignal,
): Promise<void> {
  const { lines, ...text } = toView(view.proposal);
  const review = {
    id: view.id,
    old_path: view.oldPath,
    new_path: view.newPath,
    title: view.title,
    editable: view.editable,
    keeps_line_ends: view.keepsLineEnds === true,
    text,
  };
  const slices = sliced(lines);
  const last = slices.pop() ?? [];
  const call = (method: string, params: object): Promise<void> => {
    const deadline = performance.now() + limits.openMs;
    return patiently(calls, method, params, { deadline, attemptMs: limits.attemptMs, signal });
  };
  if (slices.length > 0) await call('review.prepare', review);
  for (const [index, slice] of slices.entries()) {
    await call('review.fill', { id: view.id, index, lines: slice });
  }
  await call('review.open', { ...review, ...settings, lines: last });
}

interface Patience {
  /** On the clock of `performance`, which does not jump, ms. */
  readonly deadline: number;
  readonly attemptMs: number;
  readonly signal: AbortSignal;
}

/** Tries for as long as Neovim is busy. Each attempt expires, so that none is done after the end. */
async function patiently(
  calls: NvimCalls,
  method: string,
  params: object,
  { deadline, attemptMs, signal }: Patience,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const limitMs = Math.max(1, Math.min(attemptMs, deadline - performance.now()));
    try {
      await abortable(calls.lua(method, params, z.unknown(), limitMs), signal);
      return;
    } catch (error) {
      const isBusy = error instanceof BridgeError && error.code === 'editor-busy';
      if (!isBusy || performance.now() >= deadline) throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function closeReview(
  calls: NvimCalls,
  limits: ReviewLimits,
  id: string,
  end: ReviewEnd,
): Promise<void> {
  const closing = calls.lua('review.close', { id, end }, z.unknown(), STANDS_MS);
  const waiting = new AbortController();
  const patience = sleep(limits.closeMs, undefined, { signal: waiting.signal }).catch(() => {
    // The view was closed before the wait was over.
  });
  try {
    await Promise.race([closing, patience]);
  } finally {
    waiting.abort();
  }
}

function sliced(lines: readonly string[]): string[][] {
  const slices: string[][] = [];
  let slice: string[] = [];
  let size = 0;
  for (const line of lines) {
    if (size > SLICE_CHARS) {
      slices.push(slice);
      slice = [];
      size = 0;
    }
    slice.push(line);
    size += line.length + 1;
  }
  slices.push(slice);
  return slices;
}
