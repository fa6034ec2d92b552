import type { RawData, WebSocket } from 'ws';
import type { Identity, JsonObject } from '@aos/kernel';
import type { StreamEnd } from '../streams/sse-connection.js';

export interface SocketHandlers {
  /** One text message; the next one is given when this has resolved. What it throws ends the connection. */
  message: (text: string) => Promise<void>;
  /** Called once, when either side ended the connection. */
  closed: () => void;
  /**
   * Our side is about to end the connection: last messages may be sent. On `shutdown` it may close by itself, within a
   * second.
   */
  ending: (reason: StreamEnd) => void;
}

/** Close codes (RFC 6455, and its registry). */
export const closeCode = { policy: 1008, fault: 1011, restart: 1012, unsupported: 1003 } as const;

/** Messages waiting for their handler; beyond it the client is not read. */
const waitingMax = 64;
const waitingBytesMax = 1024 * 1024;
/** What a client may leave unread before it is cut off. */
const unreadBytesMax = 16 * 1024 * 1024;

/** One WebSocket: messages are JSON texts, handled one after another. */
export class SocketConnection {
  private readonly waiting: string[] = [];
  private waitingBytes = 0;
  private isHandling = false;
  private isOver = false;
  private handlers: SocketHandlers | null = null;

  constructor(
    private readonly socket: WebSocket,
    readonly identity: Identity,
    private readonly onFault: (error: unknown) => void,
  ) {}

  get isOpen(): boolean {
    return !this.isOver && this.socket.readyState === 1;
  }

  /** Begins to read. */
  start(handlers: SocketHandlers): void {
    this.handlers = handlers;
    this.socket.on('message', (message, isBinary) => {
      this.received(message, isBinary);
    });
    this.socket.on('error', () => {
      this.socket.terminate();
    });
    this.socket.on('close', () => {
      this.over();
    });
    if (this.socket.readyState !== 1) this.over();
  }

  /** Gives false when it goes nowhere: the connection is over, or its client does not read and is cut off. */
  send(message: JsonObject): boolean {
    if (!this.isOpen) return false;
    if (this.socket.bufferedAmount > unreadBytesMax) {
      this.socket.terminate();
      return false;
    }
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Says why, then ends it. */
  finish(reason: StreamEnd): void {
    if (this.isOver) return;
    this.handlers?.ending(reason);
    if (reason !== 'shutdown') this.close(closeCode.policy, reason);
  }

  close(code: number, reason: string): void {
    if (this.isOpen) this.socket.close(code, reason);
  }

  terminate(): void {
    this.socket.terminate();
  }

  private received(message: RawData, isBinary: boolean): void {
    if (isBinary || !Buffer.isBuffer(message)) {
      this.close(closeCode.unsupported, 'text messages only');
      return;
    }
    this.waiting.push(message.toString('utf8'));
    this.waitingBytes += message.length;
    if (this.waiting.length >= waitingMax || this.waitingBytes >= waitingBytesMax) this.socket.pause();
    if (!this.isHandling) void this.handle();
  }

  private async handle(): Promise<void> {
    this.isHandling = true;
    try {
      for (let text = this.next(); text !== undefined && !this.isOver; text = this.next())
        await this.handlers?.message(text);
    } catch (error) {
      this.onFault(error);
      this.close(closeCode.fault, 'a fault of the service');
    } finally {
      this.isHandling = false;
    }
  }

  private next(): string | undefined {
    const text = this.waiting.shift();
    if (text === undefined) this.waitingBytes = 0;
    else this.waitingBytes -= Buffer.byteLength(text);
    if (this.waiting.length < waitingMax / 2 && this.waitingBytes < waitingBytesMax && this.isOpen)
      this.socket.resume();
    return text;
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.waiting.length = 0;
    this.handlers?.closed();
  }
}
