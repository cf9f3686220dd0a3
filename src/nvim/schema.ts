/** What the Lua side sends, parsed into the core's own types. */
import path from 'node:path';
import { z } from 'zod';
import type { Diagnostic, Selection, Severity } from '../core/ports.ts';
import { byteColumn, toPosition, toRange } from '../core/positions.ts';

export const FilePath = z.string().refine(path.isAbsolute, 'must be an absolute path');

const Index = z.int().nonnegative();

const BytePos = z
  .object({
    line: Index,
    column: Index.transform(byteColumn),
    prefix: z.string().optional(),
  })
  .transform(toPosition);

/** A Lua list; an empty one may arrive as an empty dictionary. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), z.record(z.string(), z.never()).transform((): z.output<Item>[] => [])]);

/** nil, which Lua tells as null. */
export const nullish = <Value extends z.ZodType>(value: Value) =>
  value.nullish().transform((found) => found ?? undefined);

export const LuaSelection = z
  .object({ path: FilePath, text: z.string(), start: BytePos, finish: BytePos })
  .transform(
    ({ path, text, start, finish }): Selection => ({ path, text, range: toRange(start, finish) }),
  );

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

const LuaDiagnostic = z
  .object({
    message: z.string(),
    severity: z.int().min(1).max(4),
    start: BytePos,
    finish: BytePos,
    source: z.string().optional(),
    code: z.string().optional(),
  })
  .transform(
    ({ severity, start, finish, ...rest }): Diagnostic => ({
      ...rest,
      severity: SEVERITIES[severity - 1] ?? 'error',
      range: toRange(start, finish),
    }),
  );

export const LuaFileDiagnostics = z.object({ path: FilePath, diagnostics: listOf(LuaDiagnostic) });

/** Neovim knows no file type where the protocol wants the name of a language. */
const LanguageId = z.string().transform((filetype) => filetype || 'plaintext');

const describe = { path: FilePath, language_id: LanguageId, line_count: Index };

export const LuaOpenEditor = z
  .object({ ...describe, is_active: z.boolean(), is_dirty: z.boolean() })
  .transform((lua) => ({
    path: lua.path,
    languageId: lua.language_id,
    isActive: lua.is_active,
    isDirty: lua.is_dirty,
    lineCount: lua.line_count,
  }));

export const LuaOpenedFile = z.object(describe).transform((lua) => ({
  path: lua.path,
  languageId: lua.language_id,
  lineCount: lua.line_count,
}));

export const LuaDocumentState = z
  .object({
    path: FilePath,
    is_dirty: z.boolean(),
    is_untitled: z.boolean(),
    has_language_server: z.boolean(),
  })
  .transform((lua) => ({
    path: lua.path,
    isDirty: lua.is_dirty,
    isUntitled: lua.is_untitled,
    hasLanguageServer: lua.has_language_server,
  }));

export const LuaSaveResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved') }),
  z.object({ kind: z.literal('not-open') }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);
