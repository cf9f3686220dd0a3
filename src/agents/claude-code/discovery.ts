import path from 'node:path';
import type { Discovery, Environment } from '../family.ts';

/** Where Claude Code looks for editors, and what it must read there. */
export const discovery: Discovery = {
  folder: (env) => env.lockFolder ?? path.join(configFolder(env), 'ide'),

  content: ({ token, editorPid, workspaceFolders }, env) => ({
    pid: editorPid,
    workspaceFolders,
    ideName: env.ideName,
    transport: 'ws',
    runningInWindows: env.platform === 'win32',
    authToken: token,
  }),

  variables: ({ port }) => ({
    CLAUDE_CODE_SSE_PORT: String(port),
    ENABLE_IDE_INTEGRATION: 'true',
  }),
};

/** An empty variable counts as unset: taken as a path it would be the working directory. */
function configFolder({ home, variables }: Environment): string {
  const set = variables['CLAUDE_CONFIG_DIR']?.trim();
  if (!set) return path.join(home, '.claude');
  return path.resolve(set.replace(/^~(?=\/|$)/, () => home));
}
