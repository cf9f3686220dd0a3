/** A client of server-sent events that reads the stream as sid-code does, one read after another. */
import http from 'node:http';

export interface SseOptions {
  readonly port: number;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

export class SseClient {
  /** The data of each event of the kind `message`. */
  readonly messages: string[] = [];
  /** Every byte of the stream. */
  text = '';
  /** The address that the server told, if it has. */
  endpoint: string | undefined;
  readonly ended: Promise<void>;
  #rest = '';

  private constructor(
    readonly response: http.IncomingMessage,
    private readonly options: SseOptions,
  ) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.read(chunk));
    this.ended = new Promise((resolve) => response.once('close', () => resolve()));
    // An end without the last chunk is an end.
    response.on('error', () => {});
  }

  /** @throws an error with the status where the server says no */
  static async connect(options: SseOptions): Promise<SseClient> {
    const response = await send('GET', options, { accept: 'text/event-stream' });
    if (response.statusCode !== 200) {
      response.resume();
      throw new Error(`refused with ${response.statusCode}`);
    }
    return new SseClient(response, options);
  }

  /** One read of the stream. The kind of an event that is not whole is forgotten after it. */
  read(chunk: string): void {
    this.text += chunk;
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    let [kind, data] = ['', ''];
    for (const line of lines) {
      if (line.startsWith('event: ')) kind = line.slice('event: '.length);
      else if (line.startsWith('data: ')) data += line.slice('data: '.length);
      else if (line === '') {
        if (kind === 'endpoint') this.endpoint = data;
        if (kind === 'message') this.messages.push(data);
        [kind, data] = ['', ''];
      }
    }
  }

  /** Posts a text; returns the status. */
  async post(text: string, path = this.endpoint ?? '/'): Promise<number> {
    return post({ ...this.options, path }, text);
  }

  /** What came with this id, when it has come. */
  answer(id: number): { result?: Record<string, unknown>; error?: { code: number } } {
    const found = this.messages.map((text) => JSON.parse(text)).find((m) => m.id === id);
    if (!found) throw new Error(`no answer ${id} yet`);
    return found;
  }

  close(): void {
    this.response.destroy();
  }
}

export async function post(options: SseOptions, text: string): Promise<number> {
  const response = await send('POST', options, { 'content-type': 'application/json' }, text);
  response.resume();
  return response.statusCode ?? 0;
}

function send(
  method: string,
  { port, token, headers, path = '/' }: SseOptions,
  own: Record<string, string>,
  body?: string,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          ...own,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      resolve,
    );
    request.on('error', reject);
    request.end(body);
  });
}
