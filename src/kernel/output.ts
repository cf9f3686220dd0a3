/** Gathers what one run of code puts out, in order and within limits. */
import type { CodeOutput } from '../core/code-runner.ts';
import { BoundedOutput, type OutputHandle } from './bounded-output.ts';
import { ClearOutput, DisplayData, ErrorContent, Stream } from './messages.ts';
import { type ImageLimits, outputOf } from './mime.ts';
import { plainText, TerminalLines } from './terminal-text.ts';
import type { Incoming } from './wire.ts';

export interface OutputLimits extends ImageLimits {
  /** Of all text together, in bytes of UTF-8. */
  readonly maxOutputBytes: number;
}

const MAX_IMAGES = 20;

export class OutputCollector {
  readonly #output: BoundedOutput;
  readonly #lines: TerminalLines;
  readonly #displays = new Map<string, OutputHandle>();
  #stream = '';
  #images = 0;
  #clearNext = false;
  #failure: string | undefined;

  constructor(private readonly limits: OutputLimits) {
    this.#output = new BoundedOutput(limits.maxOutputBytes);
    this.#lines = new TerminalLines((text) => this.#output.addStream(text));
  }

  /** The name of the exception that ended the code; undefined while there is none. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Takes one message of the iopub channel; those of other kinds change nothing. */
  handle({ type, content }: Incoming): void {
    switch (type) {
      case 'stream':
        this.#onStream(content);
        break;
      case 'display_data':
      case 'execute_result':
      case 'update_display_data':
        this.#onDisplay(type, content);
        break;
      case 'error':
        this.#onError(content);
        break;
      case 'clear_output':
        this.#onClear(content);
        break;
    }
  }

  note(text: string): void {
    this.#endStream();
    this.#output.add([{ kind: 'text', text }]);
  }

  outputs(): CodeOutput[] {
    this.#endStream();
    return this.#output.outputs();
  }

  #onStream(content: unknown): void {
    const stream = Stream.safeParse(content);
    if (!stream.success) return;
    this.#clearIfAsked();
    if (this.#stream !== stream.data.name) this.#endStream();
    this.#stream = stream.data.name;
    this.#lines.write(stream.data.text);
  }

  #onDisplay(type: string, content: unknown): void {
    const display = DisplayData.safeParse(content);
    if (!display.success) return;
    this.#clearIfAsked();
    this.#endStream();
    const id = display.data.transient?.display_id;
    const shown = id === undefined ? undefined : this.#displays.get(id);
    const isUpdate = type === 'update_display_data' && shown !== undefined;
    const output = this.#limited(outputOf(display.data.data, this.limits), isUpdate);
    const outputs = output ? [output] : [];
    const handle = isUpdate ? this.#output.replace(shown, outputs) : this.#output.add(outputs);
    if (id !== undefined) this.#displays.set(id, handle);
  }

  /** One image too many becomes a note. An update takes the place of its image. */
  #limited(output: CodeOutput | undefined, isUpdate: boolean): CodeOutput | undefined {
    if (output?.kind !== 'image' || isUpdate) return output;
    this.#images += 1;
    if (this.#images <= MAX_IMAGES) return output;
    return { kind: 'text', text: `[image left out: more than ${MAX_IMAGES} in one run]` };
  }

  #onError(content: unknown): void {
    const error = ErrorContent.safeParse(content);
    if (!error.success) return;
    this.#clearIfAsked();
    const { ename, evalue, traceback } = error.data;
    this.#failure = ename;
    const text = traceback.length > 0 ? traceback.join('\n') : `${ename}: ${evalue}`;
    this.note(plainText(text));
  }

  #onClear(content: unknown): void {
    const clear = ClearOutput.safeParse(content);
    if (!clear.success) return;
    this.#clearNext = true;
    if (!clear.data.wait) this.#clearIfAsked();
  }

  #clearIfAsked(): void {
    if (!this.#clearNext) return;
    this.#clearNext = false;
    this.#lines.drop();
    this.#output.clear();
    this.#displays.clear();
    this.#images = 0;
  }

  #endStream(): void {
    this.#lines.flush();
    this.#stream = '';
  }
}
