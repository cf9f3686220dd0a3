import type { Selection } from '../core/ports.ts';
import { json, type ToolAnswer } from './tool.ts';

/** A selection in the shape that agents know. */
export function selectionAnswer({ text, path, range }: Selection): ToolAnswer {
  return json({ success: true, text, filePath: path, selection: range });
}
