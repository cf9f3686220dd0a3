/** Messages of the Jupyter protocol 5.3 as ZeroMQ frames, signed. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const DELIMITER = Buffer.from('<IDS|MSG>');
const PROTOCOL_VERSION = '5.3';

const Header = z.object({ msg_id: z.string(), msg_type: z.string() });
/** The parent of a message that answers nothing is `{}`. */
const Parent = z.object({ msg_id: z.string().optional() });

export interface Incoming {
  readonly type: string;
  /** The id of the request that this belongs to. */
  readonly parentId: string | undefined;
  readonly content: unknown;
}

/** Builds and reads the messages of one connection. */
export class WireCodec {
  readonly #session = randomUUID();

  /** @param key empty: the kernel neither signs nor checks */
  constructor(
    private readonly key: string,
    private readonly hash = 'sha256',
  ) {}

  encode(type: string, id: string, content: object): Buffer[] {
    const header = {
      msg_id: id,
      msg_type: type,
      session: this.#session,
      username: 'claude-bridge',
      date: new Date().toISOString(),
      version: PROTOCOL_VERSION,
    };
    const parts = [header, {}, {}, content].map((part) => Buffer.from(JSON.stringify(part)));
    return [DELIMITER, Buffer.from(this.#sign(parts)), ...parts];
  }

  /** Undefined for anything that is not a whole, rightly signed message. */
  decode(frames: readonly Buffer[]): Incoming | undefined {
    const start = frames.findIndex((frame) => frame.equals(DELIMITER));
    const [signature, header, parent, metadata, content] = start < 0 ? [] : frames.slice(start + 1);
    if (!signature || !header || !parent || !metadata || !content) return undefined;
    if (!this.#isSigned(signature, [header, parent, metadata, content])) return undefined;
    try {
      const { msg_type } = Header.parse(JSON.parse(header.toString()));
      const { msg_id } = Parent.parse(JSON.parse(parent.toString()));
      return { type: msg_type, parentId: msg_id, content: JSON.parse(content.toString()) };
    } catch {
      return undefined; // not JSON, or not a message: nothing to answer, nobody to tell
    }
  }

  #isSigned(signature: Buffer, parts: readonly Buffer[]): boolean {
    if (this.key === '') return true;
    const expected = Buffer.from(this.#sign(parts));
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  }

  #sign(parts: readonly Buffer[]): string {
    if (this.key === '') return '';
    const hmac = createHmac(this.hash, this.key);
    for (const part of parts) hmac.update(part);
    return hmac.digest('hex');
  }
}
