/** Real agents that speak ACP, as test clients: installed by npm when the tests run. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { AcpLink } from '../../../src/acp/link.ts';
import { ACP_RECIPES } from '../../../src/acp/recipes.ts';
import { startProcess } from '../../../src/platform/agent-process.ts';
import { LiveSession } from '../../support/live-session.ts';
import { PROJECT, tempDir } from '../../support/nvim.ts';
import { geminiApi, openAiApi, ScriptedModel, type Step } from './acp-model.ts';
import { cliEnvironment, prepareHome } from './home.ts';
import { type Block, Model } from './model.ts';

export interface RealAgent {
  readonly package: string;
  readonly version: string;
  /** In the package. */
  readonly program: string;
  readonly args: readonly string[];
  /** Whether it reads and writes files by way of the editor. */
  readonly asksEditor: boolean;
  model(script: readonly Step[]): TestModel;
  environment(home: string, port: number, folder: string): Record<string, string | undefined>;
  read(file: string): Step;
  write(file: string, content: string): Step;
  edit(file: string, from: string, to: string): Step;
  run(command: string): Step;
}

interface TestModel {
  readonly port: number;
  start(): Promise<void>;
  told(): string;
  dispose(): void;
}

const call = (name: string, args: Readonly<Record<string, unknown>>): Step => ({
  call: name,
  args,
});

export const gemini: RealAgent = {
  package: '@google/gemini-cli',
  version: '0.61.0',
  program: 'bundle/gemini.js',
  // A fixed model: the router for others waits for an answer of a classifier.
  args: ['--acp', '--model', 'gemini-2.5-flash'],
  asksEditor: true,
  model: (script) => new ScriptedModel(geminiApi, script),
  read: (file_path) => call('read_file', { file_path }),
  write: (file_path, content) => call('write_file', { file_path, content }),
  edit: (file_path, old_string, new_string) =>
    call('replace', { file_path, old_string, new_string, instruction: 'change it' }),
  run: (command) => call('run_shell_command', { command }),
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
  asksEditor: true,
  model: (script) => new ScriptedModel(openAiApi, script),
  read: (file_path) => call('read_file', { file_path, absolute_path: file_path }),
  write: (file_path, content) => call('write_file', { file_path, content }),
  edit: (file_path, old_string, new_string) => call('edit', { file_path, old_string, new_string }),
  run: (command) => call('run_shell_command', { command, is_background: false }),
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

/** Claude Code by its adapter, which brings the CLI along. */
export const claude: RealAgent = {
  package: '@agentclientprotocol/claude-agent-acp',
  version: '0.101.0',
  program: 'dist/index.js',
  args: [],
  asksEditor: false,
  model: (script) => new Model(script.map((step) => [blockOf(step)])),
  read,
  write,
  edit,
  run: (command) => call('Bash', { command, description: 'runs it' }),
  environment: (home, port, folder) => {
    prepareHome(home, folder);
    // The adapter and the CLI do not agree on what it says; without it no bypass is offered.
    return { ...cliEnvironment(home, port), IS_SANDBOX: undefined };
  },
};

function read(file_path: string): Step {
  return call('Read', { file_path });
}

function write(file_path: string, content: string): Step {
  return call('Write', { file_path, content });
}

function edit(file_path: string, old_string: string, new_string: string): Step {
  return call('Edit', { file_path, old_string, new_string });
}

function blockOf(step: Step): Block {
  if ('say' in step) return { type: 'text', text: step.say };
  if ('call' in step) return { type: 'tool_use', name: step.call, input: { ...step.args } };
  throw new Error('this model always answers');
}

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
    // No install script is needed: programs come as packages of their own.
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    const what = `${agent.package}@${agent.version}`;
    execFileSync('npm', ['install', '--prefix', folder, ...quiet, what], { stdio: 'inherit' });
  }
  return program;
}

export class AcpScene {
  readonly folder = tempDir();
  readonly home = tempDir();
  readonly model: TestModel;
  readonly live: LiveSession;
  /** Files with changes that were not saved. */
  readonly unsaved = new Map<string, string>();
  readonly written: string[] = [];

  private constructor(
    readonly agent: RealAgent,
    script: (file: (name: string) => string) => readonly Step[],
  ) {
    this.model = agent.model(script((name) => this.file(name)));
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
            env: agent.environment(this.home, this.model.port, this.folder),
            install: '',
            login: '',
            ...(agent === claude && { mode: ACP_RECIPES.claude.mode }),
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
