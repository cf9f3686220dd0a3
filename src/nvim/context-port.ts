/** The parts of the editor that tell what the user has before him, and open and save files. */
import type { EditorPort, OpenTarget } from '../core/ports.ts';
import type { NvimCalls } from './calls.ts';
import {
  LuaDocumentState,
  LuaFileDiagnostics,
  LuaOpenEditor,
  LuaOpenedFile,
  LuaSaveResult,
  LuaSelection,
  listOf,
  nullish,
} from './schema.ts';

type ContextPort = Pick<
  EditorPort,
  'currentSelection' | 'openEditors' | 'diagnostics' | 'document' | 'openFile' | 'saveDocument'
>;

/** A save may run formatters. */
const SAVE_LIMIT_MS = 8_000;

/** Builds the context part of the port on calls into Lua. */
export function contextPort(calls: NvimCalls): ContextPort {
  return {
    currentSelection: () => calls.lua('selection.current', {}, nullish(LuaSelection)),
    openEditors: () => calls.lua('documents.list', {}, listOf(LuaOpenEditor)),
    diagnostics: (path, limitMs) =>
      calls.lua(
        'diagnostics.read',
        path === undefined ? {} : { path },
        listOf(LuaFileDiagnostics),
        limitMs,
      ),
    document: (path) => calls.lua('documents.state', { path }, nullish(LuaDocumentState)),
    openFile: ({ path, target, makeFrontmost, preview }) =>
      calls.lua(
        'documents.open',
        { path, target: toLua(target), make_frontmost: makeFrontmost, preview },
        LuaOpenedFile,
      ),
    saveDocument: (path) => calls.lua('documents.save', { path }, LuaSaveResult, SAVE_LIMIT_MS),
  };
}

function toLua(target: OpenTarget): object {
  switch (target.kind) {
    case 'none':
      return { kind: 'none' };
    case 'lines':
      return { kind: 'lines', first: target.lines.first, last: target.lines.last };
    case 'text':
      return {
        kind: 'text',
        start_text: target.startText,
        ...(target.endText !== undefined && { end_text: target.endText }),
        to_end_of_line: target.toEndOfLine,
      };
  }
}
