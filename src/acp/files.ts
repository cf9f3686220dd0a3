/** Files for an agent: read as the editor has them, written through the editor. */
import type { ReadTextFileRequest, WriteTextFileRequest } from '@agentclientprotocol/sdk';
import { RequestError } from '@agentclientprotocol/sdk';
import { BridgeError, messageOf } from '../core/errors.ts';
import type { AbsolutePath } from '../core/ports.ts';
import { Turnstile } from '../core/turnstile.ts';
import type { BufferPort } from '../session/ports.ts';
import { isRegular, textOnDisk } from './disk.ts';
import type { EditedProposals } from './edits.ts';
import { insideWorkspace } from './workspace.ts';

export interface AgentFilesOptions {
  readonly buffers: BufferPort;
  folders(): readonly AbsolutePath[];
  /** False for files that the user keeps from agents. */
  mayRead(path: AbsolutePath): boolean;
  readonly edits: EditedProposals;
  /** Whether the agent takes the error of a missing file for the end of what it does. */
  needsText?(): boolean;
}

/** Of whole files that go to and fro at a time; an agent may ask for any number at once. */
const AT_A_TIME = 4;

export class AgentFiles {
  readonly #calls = new Turnstile(AT_A_TIME);

  constructor(private readonly options: AgentFilesOptions) {}

  async read({ path, line, limit }: ReadTextFileRequest): Promise<{ content: string }> {
    const file = await this.#inside(path);
    const text = await this.current(file);
    if (text === undefined && !this.options.needsText?.()) {
      throw RequestError.resourceNotFound(path);
    }
    return { content: lines(text ?? '', line ?? 1, limit ?? undefined) };
  }

  async write({ path, content }: WriteTextFileRequest): Promise<Record<string, never>> {
    const file = await this.#inside(path);
    const { buffers, edits } = this.options;
    await this.#failing(async () => {
      // The editor would wait for a pipe, and with it the user.
      await isRegular(file);
      await this.#calls.run(() => buffers.write(file, edits.forWrite(file, content)));
    });
    return {};
  }

  /** With unsaved changes; undefined where there is no such file. */
  async current(file: AbsolutePath): Promise<string | undefined> {
    return this.#failing(async () => {
      return this.#calls.run(
        async () => (await this.options.buffers.read(file)) ?? textOnDisk(file),
      );
    });
  }

  /** The real path, where the file is in the workspace and not kept from agents. */
  async inside(file: string): Promise<AbsolutePath> {
    const real = await insideWorkspace(file, this.options.folders());
    if (this.options.mayRead(real)) return real;
    throw new BridgeError('refused', `the user keeps ${file} from agents`);
  }

  #inside(file: string): Promise<AbsolutePath> {
    return this.#failing(() => this.inside(file));
  }

  /** The agent is told what went wrong, in the protocol's form. */
  async #failing<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof RequestError) throw error;
      const wrong = error instanceof BridgeError && error.code === 'invalid-argument';
      throw wrong
        ? RequestError.invalidParams(undefined, messageOf(error))
        : RequestError.internalError(undefined, messageOf(error));
    }
  }
}

/** @param first 1-based */
function lines(text: string, first: number, limit: number | undefined): string {
  if (first <= 1 && limit === undefined) return text;
  const all = text.split('\n');
  const from = Math.max(0, first - 1);
  return all.slice(from, limit === undefined ? undefined : from + limit).join('\n');
}
