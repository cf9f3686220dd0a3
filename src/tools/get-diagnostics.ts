import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { Editor } from '../core/editor.ts';
import { BridgeError } from '../core/errors.ts';
import type { AbsolutePath, Diagnostic, FileDiagnostics, Severity } from '../core/ports.ts';
import { defineTool } from './define-tool.ts';
import { json } from './tool.ts';

const SEVERITY_NAMES: Readonly<Record<Severity, string>> = {
  error: 'Error',
  warning: 'Warning',
  information: 'Info',
  hint: 'Hint',
};

export const getDiagnostics = defineTool({
  name: 'getDiagnostics',
  description: 'Get language diagnostics from the editor',
  input: z.object({
    uri: z
      .string()
      .optional()
      .describe('URI or path of the file. Without it, the diagnostics of all files.'),
  }),
  async handle({ uri }, { editor, sessionId, signal }) {
    if (uri) {
      const file = await ofNamedFile(uri, editor);
      editor.uriSpellings.remember(sessionId, file.path, uri);
      return json([toWire(file, uri)]);
    }
    const files = await editor.diagnostics.ofAllFiles(signal);
    return json(files.map((file) => toWire(file, editor.uriSpellings.of(sessionId, file.path))));
  },
});

/** Clients write paths into URIs as they are, or encode them: `%20` may be a space or itself. */
async function ofNamedFile(uri: string, editor: Editor): Promise<FileDiagnostics> {
  const [raw, decoded] = pathsIn(uri);
  if (decoded === undefined) return editor.diagnostics.ofFile(raw);
  const [asRaw, asDecoded] = await Promise.all([
    editor.diagnostics.ofFile(raw),
    editor.diagnostics.ofFile(decoded),
  ]);
  return asRaw.diagnostics.length > 0 ? asRaw : asDecoded;
}

function pathsIn(uri: string): [raw: AbsolutePath, decoded?: AbsolutePath] {
  const scheme = /^file:\/\/(?:localhost)?(?=\/)/.exec(uri)?.[0];
  const raw = uri.slice(scheme?.length ?? 0);
  if (!isPath(raw)) {
    throw new BridgeError('invalid-argument', 'uri: must be a file URI or an absolute path');
  }
  if (scheme === undefined || !/%[0-9a-f]{2}/i.test(raw)) return [raw];
  try {
    const decoded = decodeURIComponent(raw);
    return isPath(decoded) ? [raw, decoded] : [raw];
  } catch {
    // Not an encoding: the name itself holds percent signs.
    return [raw];
  }
}

/** No file's name holds a NUL; the system would take what stands before it for the name. */
function isPath(name: string): boolean {
  return isAbsolute(name) && !name.includes('\0');
}

function toWire({ diagnostics }: FileDiagnostics, uri: string) {
  return { uri, diagnostics: diagnostics.map(diagnosticToWire) };
}

function diagnosticToWire({ message, severity, range, source, code }: Diagnostic) {
  return {
    message,
    severity: SEVERITY_NAMES[severity],
    range,
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code }),
  };
}
