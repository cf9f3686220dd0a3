/** A home in which the CLI asks nothing at its first start, and the environment that goes with it. */
import fs from 'node:fs';
import path from 'node:path';

const DUMMY_KEY = 'sk-ant-dummy-key-for-tests';

export function prepareHome(home: string, workspace: string): void {
  const config = {
    // The newest CLI needs no leave to follow CLAUDE_CODE_SSE_PORT; the old one does.
    autoConnectIde: true,
    hasCompletedOnboarding: true,
    lastOnboardingVersion: '99.0.0',
    theme: 'dark',
    customApiKeyResponses: { approved: [DUMMY_KEY.slice(-20)], rejected: [] },
    projects: {
      [workspace]: {
        hasTrustDialogAccepted: true,
        hasCompletedProjectOnboarding: true,
        allowedTools: [],
      },
    },
  };
  fs.mkdirSync(home, { recursive: true });
  fs.writeFileSync(path.join(home, '.claude.json'), JSON.stringify(config));
}

/** Nothing leaves the machine: a dummy key, the scripted model, all other traffic turned off. */
export const cliEnvironment = (home: string, modelPort: number): Record<string, string> => ({
  HOME: home,
  ANTHROPIC_API_KEY: DUMMY_KEY,
  ANTHROPIC_BASE_URL: `http://127.0.0.1:${modelPort}`,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
});
