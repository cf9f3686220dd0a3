/** How to start the agents that speak ACP. Data only: the protocol is the same for all of them. */

export interface AcpRecipe {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The mode to begin in, for agents that would not ask otherwise. */
  readonly mode?: string;
  /** What to do where the program is missing. */
  readonly install: string;
  /** What to do where the agent wants to know who is there. */
  readonly login: string;
}

export const ACP_RECIPES = {
  gemini: {
    command: 'gemini',
    args: ['--acp'],
    install: 'npm install -g @google/gemini-cli',
    login: 'Run gemini once in a terminal and sign in.',
  },
  qwen: {
    command: 'qwen',
    args: ['--acp'],
    install: 'npm install -g @qwen-code/qwen-code',
    login: 'Run qwen once in a terminal and sign in.',
  },
  opencode: {
    command: 'opencode',
    args: ['acp'],
    install: 'npm install -g opencode-ai',
    login: 'Run opencode auth login in a terminal.',
  },
  goose: {
    command: 'goose',
    args: ['acp'],
    install: 'See the installation page of Goose.',
    login: 'Run goose configure in a terminal.',
  },
  copilot: {
    command: 'copilot',
    args: ['--acp'],
    install: 'npm install -g @github/copilot',
    login: 'Run copilot once in a terminal and type /login.',
  },
  claude: {
    command: 'claude-agent-acp',
    args: [],
    // It begins in `auto`, where it edits without asking.
    mode: 'default',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    login: 'Run claude once in a terminal and sign in.',
  },
  codex: {
    command: 'codex-acp',
    args: [],
    install: 'npm install -g @zed-industries/codex-acp',
    login: 'Run codex login in a terminal.',
  },
} as const satisfies Readonly<Record<string, AcpRecipe>>;
