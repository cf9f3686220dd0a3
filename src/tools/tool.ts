/** A tool as data: its name, what it takes, and one function that answers. */
import type { z } from 'zod';
import type { Editor } from '../core/editor.ts';
import type { ReviewEnd } from '../core/ports.ts';

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

export interface ToolAnswer {
  readonly content: readonly ContentBlock[];
  readonly isError?: boolean;
}

/** How one kind of client is told the outcome of a review; they do not agree on the shapes. */
export interface ReviewAnswers {
  accepted(text: string, edited: boolean): ToolAnswer;
  rejected(tabName: string, reason: string | undefined): ToolAnswer;
  /** The review ended without the user's word here. */
  closed(tabName: string, end: ReviewEnd): ToolAnswer;
  /** The client gives a file with CR LF its line ends again, whatever the text has. */
  readonly keepsLineEnds?: boolean;
}

export interface ToolContext {
  readonly editor: Editor;
  /** Of the calling session: the owner of the reviews that it opens. */
  readonly sessionId: string;
  /** The JSON-RPC id, unique within the session while the call is open; 0 and '' are ids. */
  readonly requestId: string | number;
  readonly signal: AbortSignal;
  readonly answers: ReviewAnswers;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 7), always an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** @throws BridgeError `invalid-argument` naming the field, or whatever the work throws. */
  call(args: unknown, context: ToolContext): Promise<ToolAnswer>;
}

export interface ToolDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject<Shape>;
  handle(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<ToolAnswer>;
}

export const text = (value: string): ToolAnswer => ({ content: [{ type: 'text', text: value }] });
export const json = (value: unknown): ToolAnswer => text(JSON.stringify(value));
