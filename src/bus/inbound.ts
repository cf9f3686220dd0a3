/** What each message of an agent means for the session. */
import path from 'node:path';
import type { Logger } from '../core/logger.ts';
import type { SessionSink, SessionUpdate } from '../session/ports.ts';
import { categoryOf, diffOf, inputOf, resultText, titleOf } from '../session/tool-texts.ts';
import type { AgentMessage } from './agent-messages.ts';
import { roleOf, textOf } from './message-text.ts';

type Of<Type extends AgentMessage['type']> = Extract<AgentMessage, { type: Type }>['data'];

export interface InboundOptions {
  readonly sink: SessionSink;
  readonly logger: Logger;
  /** For paths that are not absolute. */
  readonly folder: string;
}

/** Messages that only tell something; those that want an answer are the link's own matter. */
export type Telling = Exclude<
  AgentMessage,
  {
    type:
      | 'permission_request'
      | 'permission_response'
      | 'plan_approval_request'
      | 'plan_approval_response'
      | 'question_request'
      | 'question_response'
      | 'elicitation'
      | 'elicitation_response'
      | 'show_diff'
      | 'open_file'
      | 'ping'
      | 'pong';
  }
>;

export class Inbound {
  #messages = 0;
  #outputs = 0;

  constructor(private readonly options: InboundOptions) {}

  /** The next output of a command begins a new card. */
  endTurn(): void {
    this.#outputs += 1;
  }

  tell(message: Telling): void {
    for (const update of this.#updates(message)) this.options.sink.update(update);
  }

  #updates(message: Telling): readonly SessionUpdate[] {
    switch (message.type) {
      case 'message_added':
      case 'message_updated':
        return this.#message(message.data, message.id, message.type === 'message_updated');
      case 'message_removed':
        return [{ kind: 'removed', id: messageId(message.data.id) }];
      case 'tool_use_start':
      case 'tool_use_delta':
      case 'tool_use_result':
        return tool(message, this.options.folder);
      case 'cost_update':
        return costOf(message.data);
      case 'status':
        return statusOf(message.data);
      case 'file_changed':
      case 'file_created':
      case 'file_deleted':
        return [{ kind: 'files-changed', paths: [this.#absolute(message.data.path)] }];
      case 'attachment':
        return [this.#attachment(message.data)];
      case 'command_output':
        return this.#output(message.data);
      case 'progress':
        return [progressOf(message.data)];
      case 'error':
      case 'warning':
      case 'info':
      case 'diagnostic':
        return this.#notice(message);
      case 'telemetry_event':
        this.options.logger.debug('telemetry of the agent', { event: message.data.event });
        return [];
      case 'selection_change':
      case 'ide_state':
        // Echoes of what the editor itself knows better.
        return [];
    }
  }

  #message(
    data: Of<'message_added'>,
    envelopeId: string | number | undefined,
    streaming: boolean,
  ): readonly SessionUpdate[] {
    const text = textOf(data);
    const role = roleOf(data);
    // What the user typed here is shown already.
    if (text === undefined || (role === 'user' && !streaming)) return [];
    this.#messages += 1;
    const id = messageId(data.id ?? data.uuid ?? envelopeId ?? `made ${this.#messages}`);
    const more = role !== 'user' && (data.streaming ?? streaming);
    return [{ kind: 'message', role, id, fields: { text, ...(more && { streaming: true }) } }];
  }

  #output({ stdout, stderr }: Of<'command_output'>): readonly SessionUpdate[] {
    const id = `output ${this.#outputs}`;
    const about: SessionUpdate = {
      kind: 'tool',
      id,
      fields: { title: 'Command output', category: 'execute' },
    };
    return [about, { kind: 'tool-output', id, text: resultText(stdout) + resultText(stderr) }];
  }

  #attachment(data: Of<'attachment'>): SessionUpdate {
    const mime = data.mime ?? data.type;
    return {
      kind: 'attachment',
      attachment: {
        label: data.path,
        path: this.#absolute(data.path),
        ...(mime && { mime }),
        ...(typeof data.size === 'number' && { size: data.size }),
      },
    };
  }

  #notice(
    message: Extract<Telling, { type: 'error' | 'warning' | 'info' | 'diagnostic' }>,
  ): readonly SessionUpdate[] {
    const { logger } = this.options;
    if (message.type === 'error') {
      const { code, message: text, stack } = message.data;
      // The stack is for the log; a person has no use for it.
      logger.warn('error of the agent', { code: code ?? undefined, stack: stack ?? undefined });
      return [
        { kind: 'notice', level: 'error', text: code ? `${text} (${code})` : text, alert: true },
      ];
    }
    if (message.type === 'diagnostic') {
      const { level, message: text, source } = message.data;
      const at = level === 'error' || level === 'warn' || level === 'warning';
      const shown = level === 'error' ? 'error' : 'warn';
      return [
        { kind: 'notice', level: at ? shown : 'info', text: source ? `${source}: ${text}` : text },
      ];
    }
    const level = message.type === 'warning' ? 'warn' : 'info';
    return [{ kind: 'notice', level, text: message.data.message, alert: level === 'warn' }];
  }

  #absolute(file: string): string {
    return path.resolve(this.options.folder, file);
  }
}

/** Apart from the ids of tools, which an agent may count on its own. */
const messageId = (id: string | number): string => `message ${id}`;
const toolId = (id: string): string => `tool ${id}`;

function tool(
  message: Extract<Telling, { type: `tool_use_${string}` }>,
  folder: string,
): readonly SessionUpdate[] {
  const id = toolId(message.data.id);
  switch (message.type) {
    case 'tool_use_start': {
      const { name, input, agent } = message.data;
      const diff = diffOf(name, input, folder);
      const fields = {
        title: titleOf(name, input),
        name,
        category: categoryOf(name),
        state: 'running' as const,
        ...(input !== undefined && inputOf(input)),
        ...(agent && { agent }),
        ...(diff && { diffs: [diff] }),
      };
      return [{ kind: 'tool', id, fields }];
    }
    case 'tool_use_delta':
      return [{ kind: 'tool-output', id, text: resultText(message.data.partial) }];
    case 'tool_use_result': {
      const { result, isError, durationMs } = message.data;
      const text = resultText(result);
      const fields = {
        state: isError ? ('failed' as const) : ('done' as const),
        ...(isError ? { error: text } : text !== '' && { output: text }),
        ...(typeof durationMs === 'number' && { duration: durationMs }),
      };
      return [{ kind: 'tool', id, fields }];
    }
  }
}

function costOf(data: Of<'cost_update'>): readonly SessionUpdate[] {
  const amount = data.totalCost ?? data.cost;
  const tokens = countOf(data.totalTokens ?? data.tokens);
  const usage: SessionUpdate = {
    kind: 'usage',
    usage: {
      ...(typeof amount === 'number' && { cost: { amount, currency: 'USD' } }),
      ...(tokens !== undefined && { tokens: { used: tokens } }),
    },
  };
  return data.model ? [usage, { kind: 'about', about: { model: data.model } }] : [usage];
}

function countOf(tokens: Of<'cost_update'>['tokens']): number | undefined {
  if (tokens === undefined || tokens === null) return undefined;
  return typeof tokens === 'number' ? tokens : (tokens.input ?? 0) + (tokens.output ?? 0);
}

function statusOf(data: Of<'status'>): readonly SessionUpdate[] {
  const about = {
    ...(data.model && { model: data.model }),
    ...(data.mode && { mode: data.mode }),
    ...(data.sessionId && { conversation: data.sessionId }),
  };
  return Object.keys(about).length > 0 ? [{ kind: 'about', about }] : [];
}

function progressOf(data: Of<'progress'>): SessionUpdate {
  return {
    kind: 'progress',
    progress: {
      id: data.id ?? data.stage,
      stage: data.stage,
      ...(typeof data.percent === 'number' && { percent: data.percent }),
      ...(data.message && { message: data.message }),
    },
  };
}
