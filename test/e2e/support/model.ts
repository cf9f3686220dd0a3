/** A scripted stand-in for the model endpoint on loopback; it keeps what the CLI told the model. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly name: string; readonly input: Record<string, unknown> };

const Body = z.looseObject({
  model: z.string().optional(),
  stream: z.boolean().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).default([]),
  system: z.unknown().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});
type Body = z.infer<typeof Body>;

export const say = (text: string): Block => ({ type: 'text', text });
export const read = (file_path: string): Block => use('Read', { file_path });
export const write = (file_path: string, content: string): Block =>
  use('Write', { file_path, content });
export const edit = (file_path: string, old_string: string, new_string: string): Block =>
  use('Edit', { file_path, old_string, new_string });
const use = (name: string, input: Record<string, unknown>): Block => ({
  type: 'tool_use',
  name,
  input,
});

export class Model {
  readonly #server = http.createServer((request, response) => void this.#serve(request, response));
  readonly #conversations: Body[] = [];
  #ids = 0;

  /**
   * @param script its n-th entry answers the request that holds n turns of the assistant; past its
   *   end the model says "done".
   */
  constructor(private readonly script: readonly (readonly Block[])[]) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** All that the CLI has put before the model in the main conversation, as text. */
  told(): string {
    const bodies = this.#conversations.map((body) => [body.system, body.messages]);
    return textsIn(bodies).join('\n');
  }

  dispose(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = parse(Buffer.concat(chunks).toString());
    const url = request.url ?? '';
    if (url.includes('count_tokens')) return json(response, 200, { input_tokens: 10 });
    if (!url.startsWith('/v1/messages') || !body) {
      return json(response, 404, {
        type: 'error',
        error: { type: 'not_found_error', message: url },
      });
    }
    this.#answer(response, body);
  }

  #answer(response: http.ServerResponse, body: Body): void {
    // Side requests of the CLI, such as for a title, bring no tools.
    const isMain = body.tools.some((tool) => tool.name === 'Edit' || tool.name === 'Read');
    if (isMain) this.#conversations.push(body);
    const turn = body.messages.filter((message) => message.role === 'assistant').length;
    const blocks = isMain ? (this.script[turn] ?? [say('done')]) : [say('ok')];
    const content = blocks.map((block) =>
      block.type === 'text' ? block : { id: `toolu_${++this.#ids}`, ...block },
    );
    const stopReason = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
    const message = {
      id: `msg_${++this.#ids}`,
      type: 'message',
      role: 'assistant',
      model: body.model ?? 'scripted',
      content,
      stop_reason: stopReason,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 5 },
    };
    if (body.stream) stream(response, message);
    else json(response, 200, message);
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function parse(text: string): Body | undefined {
  try {
    return Body.parse(JSON.parse(text));
  } catch {
    return undefined; // not a request of the Messages API
  }
}

function json(response: http.ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

interface Message {
  readonly content: readonly (Block & { readonly id?: string })[];
  readonly stop_reason: string;
}

function stream(response: http.ServerResponse, message: Message): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  message.content.forEach((block, index) => {
    const isText = block.type === 'text';
    const start = isText ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    send('content_block_start', { index, content_block: start });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  });
  send('message_delta', {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  });
  send('message_stop', {});
  response.end();
}
