// One prompt of one session, from its begin to its end: what an agent can tell and ask.
import { setTimeout } from 'node:timers/promises';
import { methods } from '@agentclientprotocol/sdk';

/** How long a word takes, ms: as long as one can read along. */
const WORD_MS = Number(process.env.CLAUDE_BRIDGE_TRY_WORD_MS ?? 25);
/** As a model has it: room for so many tokens, and a price for each. */
const WINDOW = 200_000;
const DOLLARS_PER_TOKEN = 0.000_1;

const ASK = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

export const textBlock = (text) => ({ type: 'content', content: { type: 'text', text } });

export class Turn {
  #client;
  #signal;
  #calls = 0;
  #begun = Date.now();

  constructor(client, session, signal) {
    this.#client = client;
    this.session = session;
    this.#signal = signal;
  }

  get isOver() {
    return this.#signal.aborted;
  }

  async pause(words = 1) {
    await setTimeout(words * WORD_MS);
  }

  update(update) {
    const { id: sessionId } = this.session;
    return this.#client.notify(methods.client.session.update, { sessionId, update });
  }

  /** Word by word, as a model does. */
  async stream(text, sessionUpdate = 'agent_message_chunk') {
    for (const word of text.match(/\s*\S+\s*/g) ?? []) {
      if (this.isOver) return;
      this.session.used += 1;
      await this.update({ sessionUpdate, content: { type: 'text', text: word } });
      await this.pause();
    }
    await this.#tellUsage();
  }

  think(text) {
    return this.stream(text, 'agent_thought_chunk');
  }

  /** @param {readonly string[]} texts @param {readonly string[]} states */
  plan(texts, states) {
    const entries = texts.map((content, at) => ({
      content,
      priority: 'medium',
      status: states[at] ?? 'pending',
    }));
    return this.update({ sessionUpdate: 'plan', entries });
  }

  /** Begins a tool call. */
  async tool(fields) {
    this.#calls += 1;
    const toolCallId = `call-${this.#begun}-${this.#calls}`;
    await this.update({ sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...fields });
    return toolCallId;
  }

  /** Ends a tool call, or tells more of it; the text is all of its output so far. */
  tell(toolCallId, status, text) {
    const content = text === undefined ? {} : { content: [textBlock(text)] };
    return this.update({ sessionUpdate: 'tool_call_update', toolCallId, status, ...content });
  }

  /** Whether the user allows it. */
  async may(toolCall, options = ASK) {
    const { id: sessionId } = this.session;
    const method = methods.client.session.requestPermission;
    const { outcome } = await this.#client.request(method, { sessionId, toolCall, options });
    return outcome.outcome === 'selected' && outcome.optionId !== 'no';
  }

  /** A form, by a JSON schema; undefined where the user declines. */
  async form(message, requestedSchema) {
    const { id: sessionId } = this.session;
    const params = { sessionId, mode: 'form', message, requestedSchema };
    const { action, content } = await this.#client.request(
      methods.client.elicitation.create,
      params,
    );
    return action === 'accept' ? content : undefined;
  }

  async readFile() {
    const { content } = await this.#file(methods.client.fs.readTextFile);
    return content;
  }

  async writeFile(content) {
    await this.#file(methods.client.fs.writeTextFile, { content });
  }

  #file(method, fields) {
    const { id: sessionId, file } = this.session;
    return this.#client.request(method, { sessionId, path: file, ...fields });
  }

  #tellUsage() {
    const { used } = this.session;
    const cost = { amount: used * DOLLARS_PER_TOKEN, currency: 'USD' };
    return this.update({ sessionUpdate: 'usage_update', used, size: WINDOW, cost });
  }
}
