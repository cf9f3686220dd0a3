/** What each `session/update` of an agent means for the session. */
import type {
  SessionUpdate as AcpUpdate,
  ContentChunk,
  PlanEntry,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { MessageEntry, PlanItem, ToolCategory, ToolState } from '../session/model.ts';
import type { SessionUpdate, ToolUpdate } from '../session/ports.ts';
import { inputOf, resultText } from '../session/tool-texts.ts';
import { choicesOf } from './choices.ts';
import { diffsOf, locationsOf, outputOf, textOf } from './content.ts';

export function updatesOf(update: AcpUpdate): readonly SessionUpdate[] {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
      return [chunk('user', update)];
    case 'agent_message_chunk':
      return [chunk('agent', update)];
    case 'agent_thought_chunk':
      return [chunk('thought', update)];
    case 'tool_call':
    case 'tool_call_update':
      return [tool(update)];
    case 'plan':
      return [{ kind: 'plan', items: update.entries.map(planItem) }];
    case 'available_commands_update': {
      const commands = update.availableCommands.map(({ name, description, input }) => ({
        name,
        description,
        ...(input && { hint: input.hint }),
      }));
      return [{ kind: 'choices', choices: { commands } }];
    }
    case 'current_mode_update':
      return [{ kind: 'about', about: { mode: update.currentModeId } }];
    case 'config_option_update':
      return choicesOf({ configOptions: update.configOptions });
    case 'session_info_update':
      return update.title ? [{ kind: 'about', about: { title: update.title } }] : [];
    case 'usage_update': {
      const { used, size, cost } = update;
      return [{ kind: 'usage', usage: { tokens: { used, size }, ...(cost && { cost }) } }];
    }
    case 'notice':
      return [notice(update)];
    case 'compaction_update':
      return compaction(update);
    case 'compaction_summary_chunk':
      return [
        {
          kind: 'tool-output',
          id: compactionId(update.compactionId),
          text: textOf(update.content),
        },
      ];
    default:
      // A kind that this version does not know.
      return [];
  }
}

function chunk(role: MessageEntry['kind'], { content, messageId }: ContentChunk): SessionUpdate {
  const id = messageId ? { id: `${role} ${messageId}` } : {};
  return { kind: 'text', role, ...id, text: textOf(content) };
}

const toolId = (id: string): string => `tool ${id}`;

export function tool(update: ToolCallUpdate): Extract<SessionUpdate, { kind: 'tool' }> {
  return { kind: 'tool', id: toolId(update.toolCallId), fields: toolFields(update) };
}

function toolFields(update: ToolCallUpdate): ToolUpdate {
  const { title, name, kind, status, content, locations, rawInput, rawOutput } = update;
  const output = content ? outputOf(content) : '';
  const failed = status === 'failed';
  const text = output === '' ? resultText(rawOutput) : output;
  const diffs = content ? diffsOf(content) : [];
  return {
    ...(title && { title }),
    ...(name && { name }),
    ...(kind && { category: categoryOf(kind) }),
    ...(status && { state: stateOf(status) }),
    ...(hasFields(rawInput) && inputOf(rawInput)),
    ...(text !== '' && (failed ? { error: text } : { output: text })),
    ...(diffs.length > 0 && { diffs }),
    ...(locations && locations.length > 0 && { locations: locationsOf(locations) }),
  };
}

function hasFields(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0;
}

function categoryOf(kind: NonNullable<ToolCallUpdate['kind']>): ToolCategory {
  return kind === 'switch_mode' ? 'think' : kind;
}

function stateOf(status: NonNullable<ToolCallUpdate['status']>): ToolState {
  switch (status) {
    case 'pending':
      return 'pending';
    case 'in_progress':
      return 'running';
    case 'completed':
      return 'done';
    case 'failed':
      return 'failed';
  }
}

function planItem({ content, priority, status }: PlanEntry): PlanItem {
  const states = { pending: 'pending', in_progress: 'running', completed: 'done' } as const;
  return { text: content, state: states[status], priority };
}

function notice(update: Extract<AcpUpdate, { sessionUpdate: 'notice' }>): SessionUpdate {
  const { severity, title, description } = update;
  const level = severity === 'error' ? 'error' : severity === 'warning' ? 'warn' : 'info';
  return { kind: 'notice', level, text: description ? `${title}\n${description}` : title };
}

const compactionId = (id: string): string => `compaction ${id}`;

function compaction(
  update: Extract<AcpUpdate, { sessionUpdate: 'compaction_update' }>,
): readonly SessionUpdate[] {
  const states: Readonly<Record<string, ToolState>> = {
    in_progress: 'running',
    completed: 'done',
    failed: 'failed',
    cancelled: 'cancelled',
  };
  const summary = update.summary?.map(textOf).join('\n');
  return [
    {
      kind: 'tool',
      id: compactionId(update.compactionId),
      fields: {
        title: 'Compact the conversation',
        category: 'think',
        state: states[update.status] ?? 'running',
        ...(summary && { output: summary }),
        ...(update.error && { error: update.error }),
      },
    },
  ];
}
