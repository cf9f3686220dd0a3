import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { json } from './tool.ts';

export const getOpenEditors = defineTool({
  name: 'getOpenEditors',
  description: 'Get information about currently open editors',
  input: z.object({}),
  async handle(_, { editor }) {
    const open = await editor.port.openEditors();
    const told = open.filter(({ path }) => editor.privacy.allows(path));
    return json({
      tabs: told.map(({ path, isActive, languageId, isDirty }) => ({
        uri: pathToFileURL(path).href,
        isActive,
        label: basename(path),
        languageId,
        isDirty,
      })),
    });
  },
});
