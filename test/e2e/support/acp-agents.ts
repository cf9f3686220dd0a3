/** Real agents that speak ACP, as test clients: installed by npm when the tests run. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { AcpLink } from '../../../src/acp/link.ts';
import { startProcess } from '../../../src/platform/agent-process.ts';
import { LiveSession } from '../../support/live-session.ts';
import { PROJECT, tempDir } from '../../support/nvim.ts';
import { type Api, geminiApi, openAiApi, ScriptedModel, type Step } from './acp-model.ts';

interface RealAgent {
  readonly package: string;
  readonly version: string;
  /** In the package. */
  readonly program: string;
  readonly args: readonly string[];
  readonly api: Api;
  environment(home: string, port: number): Record<string, string | undefined>;
}

export const gemini: RealAgent = {
  package: '@google/gemini-cli',
  version: '0.61.0',
  program: 'bundle/gemini.js',
  // A fixed model: the router for others waits for an answer of a classifier.
  args: ['--acp', '--model', 'gemini-2.5-flash'],
  api: geminiApi,
  environment: (home, port) => {
    settings(home, '.gemini', {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    });
    return {
      HOME: home,
      GEMINI_API_KEY: 'fake',
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    };
  },
};

export const qwen: RealAgent = {
  package: '@qwen-code/qwen-code',
  // The newest that runs on Node 20.
  version: '0.15.10',
  program: 'cli.js',
  args: ['--acp', '--auth-type', 'openai'],
  api: openAiApi,
  environment: (home, port) => {
    settings(home, '.qwen', {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true },
    });
    return {
      HOME: home,
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: 'fake',
      OPENAI_MODEL: 'fake',
    };
  },
};

function settings(home: string, folder: string, value: object): void {
  fs.mkdirSync(path.join(home, folder), { recursive: true });
  fs.writeFileSync(path.join(home, folder, 'settings.json'), JSON.stringify(value));
}

export function install(agent: RealAgent): string {
  const name = path.basename(agent.package);
  const folder = path.join(PROJECT, '.cache', name, agent.version);
  const program = path.join(folder, 'node_modules', agent.package, agent.program);
  if (!fs.existsSync(program)) {
    fs.mkdirSync(folder, { recursive: true });
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    const what = `${agent.package}@${agent.version}`;
    execFileSync('npm', ['install', '--prefix', folder, ...quiet, what], { stdio: 'inherit' });
  }
  return program;
}

export class AcpScene {
  readonly folder = tempDir();
  readonly home = tempDir();
  readonly model: ScriptedModel;
  readonly live: LiveSession;
  /** Files with changes that were not saved. */
  readonly unsaved = new Map<string, string>();
  readonly written: string[] = [];

  private constructor(
    readonly agent: RealAgent,
    script: (file: (name: string) => string) => readonly Step[],
  ) {
    this.model = new ScriptedModel(
      agent.api,
      script((name) => this.file(name)),
    );
    const buffers = {
      read: async (file: string) => this.unsaved.get(file),
      write: async (file: string, text: string) => {
        this.unsaved.delete(file);
        this.written.push(path.basename(file));
        fs.writeFileSync(file, text);
      },
    };
    this.live = new LiveSession({
      folder: this.folder,
      buffers,
      connect: (context) =>
        new AcpLink({
          context,
          recipe: {
            command: process.execPath,
            args: [install(agent), ...agent.args],
            env: agent.environment(this.home, this.model.port),
            install: '',
            login: '',
          },
          start: startProcess,
          buffers,
          folders: () => [],
          mayRead: () => true,
          version: '0',
        }),
    });
  }

  static async start(
    agent: RealAgent,
    script: (file: (name: string) => string) => readonly Step[],
  ): Promise<AcpScene> {
    const scene = new AcpScene(agent, script);
    await scene.model.start();
    scene.live.open();
    await scene.live.eventually(() => scene.live.shown);
    await scene.live.eventually(() => {
      const { status } = scene.live.shown;
      if (status?.state !== 'connected') throw new Error(`${status?.state}: ${status?.detail}`);
    }, 60_000);
    return scene;
  }

  file(name: string, text?: string): string {
    const file = path.join(this.folder, name);
    if (text !== undefined) fs.writeFileSync(file, text);
    return file;
  }

  read(name: string): string {
    return fs.readFileSync(this.file(name), 'utf8');
  }

  /** What the agent has said. */
  said(): string {
    const messages = this.live.entries.filter((entry) => entry.kind === 'agent');
    return messages.map((entry) => ('text' in entry ? entry.text : '')).join('\n');
  }

  async idle(): Promise<void> {
    await this.live.eventually(() => {
      const sent = this.live.entries.findLast((entry) => entry.kind === 'user');
      if (sent?.kind !== 'user' || sent.delivery !== 'sent') throw new Error('not sent');
      if (this.live.shown.status?.busy) throw new Error('the agent is at work');
    }, 60_000);
  }

  async dispose(): Promise<void> {
    await this.live.dispose();
    this.model.dispose();
    const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };
    for (const folder of [this.folder, this.home]) fs.rmSync(folder, options);
  }
}
