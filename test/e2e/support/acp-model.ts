/** Scripted stand-ins for the model endpoints of other agents than Claude Code, on loopback. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export type Step =
  | { readonly say: string }
  | { readonly call: string; readonly args: Readonly<Record<string, unknown>> }
  /** Never answers. */
  | { readonly hang: true };

interface Request {
  /** How often the model has spoken before. */
  readonly turns: number;
  readonly tools: string;
  readonly text: string;
}

/** How one vendor's endpoint is spoken to. */
export interface Api {
  parse(body: unknown): Request | undefined;
  answer(step: Exclude<Step, { hang: true }>): readonly string[];
}

const Gemini = z.looseObject({
  contents: z.array(z.looseObject({ role: z.string().optional() })),
  tools: z.unknown().optional(),
});

export const geminiApi: Api = {
  parse: (body) => {
    const parsed = Gemini.safeParse(body);
    if (!parsed.success) return undefined;
    const { contents, tools } = parsed.data;
    return {
      turns: contents.filter((content) => content.role === 'model').length,
      tools: JSON.stringify(tools ?? ''),
      text: JSON.stringify(contents),
    };
  },
  answer: (step) => {
    const part =
      'say' in step ? { text: step.say } : { functionCall: { name: step.call, args: step.args } };
    return [
      JSON.stringify({
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      }),
    ];
  },
};

const OpenAi = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
  tools: z.unknown().optional(),
});

export const openAiApi: Api = {
  parse: (body) => {
    const parsed = OpenAi.safeParse(body);
    if (!parsed.success) return undefined;
    const { messages, tools } = parsed.data;
    return {
      // Qwen Code puts a greeting into the model's mouth.
      turns: messages.filter(
        ({ role, content }) => role === 'assistant' && !/^Got it/u.test(String(content)),
      ).length,
      tools: JSON.stringify(tools ?? ''),
      text: JSON.stringify(messages),
    };
  },
  answer: (step) => {
    const chunk = (delta: object, reason: string | null) =>
      JSON.stringify({
        id: 'c1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'fake',
        choices: [{ index: 0, delta, finish_reason: reason }],
        ...(reason && { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
      });
    if ('say' in step) {
      return [chunk({ role: 'assistant', content: step.say }, null), chunk({}, 'stop'), '[DONE]'];
    }
    const call = { name: step.call, arguments: JSON.stringify(step.args) };
    const id = `call_${JSON.stringify(step).length}_${step.call}`;
    const calls = [{ index: 0, id, type: 'function', function: call }];
    return [
      chunk({ role: 'assistant', tool_calls: calls }, null),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ];
  },
};

export class ScriptedModel {
  readonly #server = http.createServer((request, response) => void this.#serve(request, response));
  #told = '';
  hangs = 0;

  /** @param script its n-th entry answers the request before which the model has spoken n times. */
  constructor(
    private readonly api: Api,
    private readonly script: readonly Step[],
  ) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The last conversation that was put before the model. */
  told(): string {
    return this.#told;
  }

  dispose(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = this.#parse(Buffer.concat(chunks).toString());
    if (!asked) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    // Side requests of the CLI bring no tools.
    const main = asked.tools.includes('write_file');
    if (main) this.#told = asked.text;
    const step = main ? (this.script[asked.turns] ?? { say: 'done' }) : { say: '{}' };
    if ('hang' in step) {
      this.hangs += 1;
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const data of this.api.answer(step)) response.write(`data: ${data}\n\n`);
    response.end();
  }

  #parse(text: string): Request | undefined {
    try {
      return this.api.parse(JSON.parse(text));
    } catch {
      return undefined; // not a request for the model
    }
  }
}
