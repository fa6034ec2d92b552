import type { ServerResponse } from 'node:http';
import type { Identity } from '@aos/kernel';
import type { Frame } from './frame.js';
import { encodeFrame } from './frame.js';

/** Why a stream ends from our side. */
export type StreamEnd = 'rotate' | 'shutdown' | 'revoked';

export interface SseHandlers {
  /** Called once, when either side ended the stream: nothing can be written any more. */
  closed?: () => void;
  /**
   * Called once before our side ends the stream: last frames may be written, then the connection ends. Absent: it just
   * ends.
   */
  ending?: (reason: StreamEnd, connection: SseConnection) => void;
}

const keepAlive = ': keep-alive\n\n';
/** The same as one chunk of a chunked body. */
const keepAliveChunk = Buffer.from(`${keepAlive.length.toString(16)}\r\n${keepAlive}\r\n`);

function destroyIt(this: ServerResponse): void {
  this.destroy();
}

/**
 * One open stream: thousands rest at once, so each holds little and shares what it can. Write while `isReady`; after a
 * write that gives false wait for `drained()` and read on from the log: nothing is queued here.
 */
export class SseConnection {
  private waiting: { promise: Promise<void>; resolve: () => void } | null = null;
  private isOver = false;
  private isFull = false;

  constructor(
    private readonly response: ServerResponse,
    readonly identity: Identity,
    /** Monotonic milliseconds. */
    readonly openedAt: number,
    private readonly handlers: SseHandlers,
    /** Called once, before the handler. */
    private readonly onClose: (connection: SseConnection) => void,
    /** Gives its slot back. */
    readonly release: () => void,
  ) {
    response.on('close', () => {
      this.over();
    });
    response.on('error', destroyIt);
  }

  get isOpen(): boolean {
    return !this.isOver;
  }

  /** False while the client reads too slowly, and when the stream is over. */
  get isReady(): boolean {
    return !this.isOver && !this.isFull;
  }

  /** Bytes that the client has not taken yet. */
  get pendingBytes(): number {
    return this.response.writableLength;
  }

  /**
   * Gives false when the client does not keep up: stop, and wait for `drained()`. Written to a stream that is over, it
   * goes nowhere.
   */
  frame(frame: Frame): boolean {
    return this.write(encodeFrame(frame));
  }

  /** Whole frames that are encoded already. */
  write(encoded: string | Buffer): boolean {
    if (this.isOver || this.response.writableEnded) return false;
    if (!this.response.write(encoded) && !this.isFull) {
      this.isFull = true;
      this.response.once('drain', () => {
        this.nowDrained();
      });
    }
    return !this.isFull;
  }

  /** Resolves when the client has caught up, or the stream is over. */
  drained(): Promise<void> {
    if (this.isOver || !this.isFull) return Promise.resolve();
    if (!this.waiting) {
      let resolve: () => void = () => undefined;
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.waiting = { promise, resolve };
    }
    return this.waiting.promise;
  }

  /** Skipped while the client has unread bytes: they keep the connection alive as well. */
  heartbeat(): void {
    if (!this.isReady || this.response.writableEnded) return;
    const { socket, chunkedEncoding, writableLength } = this.response;
    // Thousands are written at once: a whole chunk costs one plain write of the socket, the response would make three
    // parts of it and wait a tick.
    if (socket && chunkedEncoding && writableLength === 0) socket.write(keepAliveChunk);
    else this.write(keepAlive);
  }

  /** Ends it after what was written has gone out. */
  end(): void {
    if (!this.isOver && !this.response.writableEnded) this.response.end();
  }

  /**
   * Ends it from our side: the handler may say so to the client first. A reader that is behind is cut off: it resumes
   * from its position.
   */
  finish(reason: StreamEnd): void {
    if (this.isOver || this.response.writableEnded) return;
    this.handlers.ending?.(reason, this);
    if (this.isFull) this.destroy();
    else this.end();
  }

  destroy(): void {
    this.response.destroy();
  }

  /** Ends what began on a connection that was closed before: its `close` was emitted when this did not listen yet. */
  endIfClosed(): void {
    if (this.response.destroyed) this.over();
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.nowDrained();
    this.onClose(this);
    this.handlers.closed?.();
  }

  private nowDrained(): void {
    this.isFull = false;
    const { waiting } = this;
    this.waiting = null;
    waiting?.resolve();
  }
}
