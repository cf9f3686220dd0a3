import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { json } from './tool.ts';

export const getWorkspaceFolders = defineTool({
  name: 'getWorkspaceFolders',
  description: 'Get all workspace folders currently open in the IDE',
  input: z.object({}),
  async handle(_, { editor }) {
    const { folders } = editor.workspace;
    return json({
      success: true,
      folders: folders.map((path) => ({
        name: basename(path) || path,
        uri: pathToFileURL(path).href,
        path,
      })),
      rootPath: folders[0] ?? '',
    });
  },
});
