import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
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

/** Of one write, unless a single frame is larger. */
const tickBytesMax = 64 * 1024;
const lineEnd = '\r\n';

/** What leaves together. */
interface Unsent {
  readonly withHeaders: boolean;
  readonly frames: Buffer[];
  bytes: number;
  /** Whether it leaves with this tick. */
  isDue: boolean;
}

/** One chunk of a chunked body, put together in one piece of memory. */
function chunkOf(frames: readonly Buffer[], bytes: number): Buffer {
  const size = `${bytes.toString(16)}${lineEnd}`;
  const chunk = Buffer.allocUnsafe(size.length + bytes + lineEnd.length);
  let at = chunk.write(size, 0, 'latin1');
  for (const frame of frames) {
    chunk.set(frame, at);
    at += frame.length;
  }
  chunk.write(lineEnd, at, 'latin1');
  return chunk;
}

function destroyIt(this: ServerResponse): void {
  this.destroy();
}

function sendIt(connection: SseConnection): void {
  connection.send();
}

/** The tick of the opening is over. */
function waitForMore(opening: Unsent, connection: SseConnection): void {
  opening.isDue = false;
  setImmediate(() => {
    setImmediate(sendIt, connection);
  });
}

/**
 * One open stream: thousands rest at once, so each holds little and shares what it can. Write while `isReady`; after a
 * write that gives false wait for `drained()` and read on from the log: nothing is queued here but the frames of one
 * tick, which leave in one write of the socket (rule TP13). The headers and the frames that came with them wait for the
 * next ones, which mostly come in the same turn of the loop, but no longer than that turn and the one behind it.
 */
export class SseConnection {
  private waiting: { promise: Promise<void>; resolve: () => void } | null = null;
  private isOver = false;
  private isFull = false;
  private unsent: Unsent | null = null;

  constructor(
    /** Of the open streams of this process. */
    readonly name: string,
    /** Its head is written and not sent. */
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
    this.unsent = { withHeaders: true, frames: [], bytes: 0, isDue: true };
    process.nextTick(waitForMore, this.unsent, this);
  }

  get isOpen(): boolean {
    return !this.isOver;
  }

  /** False while the client reads too slowly, and when the stream is over. */
  get isReady(): boolean {
    return !this.isOver && !this.isFull;
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
    const bytes = typeof encoded === 'string' ? Buffer.from(encoded) : encoded;
    if (this.unsent && this.unsent.bytes + bytes.length > tickBytesMax) this.send();
    const unsent = (this.unsent ??= { withHeaders: false, frames: [], bytes: 0, isDue: false });
    if (!unsent.isDue) {
      unsent.isDue = true;
      process.nextTick(sendIt, this);
    }
    unsent.frames.push(bytes);
    unsent.bytes += bytes.length;
    if (unsent.bytes >= tickBytesMax) this.send();
    return !this.isFull;
  }

  /** Sends what was written in this tick now. */
  send(): void {
    const { unsent, response } = this;
    this.unsent = null;
    if (!unsent || this.isOver || response.writableEnded) return;
    const { socket } = response;
    if (!unsent.withHeaders) return this.sendFrames(unsent);
    socket?.cork();
    response.flushHeaders();
    if (unsent.frames.length > 0) this.sendFrames(unsent);
    socket?.uncork();
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
    this.send();
    if (!this.isReady || this.response.writableEnded) return;
    const { socket, chunkedEncoding, writableLength } = this.response;
    // thousands are written at once, and share one chunk
    if (socket && chunkedEncoding && writableLength === 0) socket.write(keepAliveChunk);
    else this.write(keepAlive);
  }

  /** Ends it after what was written has gone out. */
  end(): void {
    if (this.isOver || this.response.writableEnded) return;
    this.response.socket?.cork(); // ended with the last frames
    this.send();
    this.response.end();
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

  /** As one chunk, straight to the socket: the response would make four parts of each frame. */
  private sendFrames({ frames, bytes }: Unsent): void {
    const { response } = this;
    const { socket } = response;
    const isFirstInLine = socket !== null && response.writableLength === socket.writableLength;
    if (isFirstInLine && response.chunkedEncoding) {
      if (!socket.write(chunkOf(frames, bytes))) this.nowFull(socket);
    } else if (!response.write(Buffer.concat(frames))) this.nowFull(response);
  }

  private nowFull(taker: Writable): void {
    if (this.isFull) return;
    this.isFull = true;
    taker.once('drain', () => {
      this.nowDrained();
    });
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.unsent = null;
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
