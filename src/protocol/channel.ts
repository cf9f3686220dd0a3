import type { Disposable } from '../core/disposable.ts';

/** Why a channel ended, in WebSocket's close codes. */
export interface ChannelEnd {
  readonly code: number;
  readonly reason: string;
}

/** Carries whole text messages to one client and back, whatever the transport. */
export interface Channel {
  readonly isOpen: boolean;
  /** Bytes that are accepted for sending and not yet handed to the system. */
  readonly backlog: number;
  /** Does nothing on a channel that has ended. */
  send(text: string): void;
  onMessage(listener: (text: string) => void): Disposable;
  /** Some of the backlog went out. */
  onDrain(listener: () => void): Disposable;
  /** Called once, whichever side ends the channel. */
  onClose(listener: (end: ChannelEnd) => void): Disposable;
  close(code: number, reason: string): void;
}
