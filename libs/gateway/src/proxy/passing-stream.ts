import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { passAtPace } from './pass-at-pace.js';

const blankLine = Buffer.from('\n\n');
const newline = 0x0a;

/**
 * An event stream on its way through the gateway, at the pace of its reader.
 *
 * Either side that leaves ends the other. `rotate` ends it from here between two frames, with the service's last word,
 * so that the reader loses nothing and comes back at once (rule F18).
 */
export class PassingStream {
  private isRotating = false;
  private atBoundary = true;
  private lastByte = newline;

  constructor(
    private readonly body: Readable,
    private readonly reader: ServerResponse,
    private readonly closingFrame: Buffer,
  ) {}

  /** Resolves when either side ended the stream; rejects with the fault that broke it off. */
  async pass(): Promise<void> {
    await passAtPace(this.body, this.reader, (chunk) => {
      this.write(chunk);
    });
  }

  /** Ends it as soon as the frame that is being written is whole. */
  rotate(): void {
    if (this.isRotating) return;
    this.isRotating = true;
    if (this.atBoundary) this.end();
  }

  private write(chunk: Buffer): void {
    if (this.reader.writableEnded || chunk.length === 0) return;
    if (this.isRotating) {
      const end = this.endOfFrame(chunk);
      this.reader.write(chunk.subarray(0, end ?? chunk.length));
      if (end !== null) this.end();
      return;
    }
    const before = chunk.length > 1 ? chunk[chunk.length - 2] : this.lastByte;
    this.lastByte = chunk[chunk.length - 1] ?? 0;
    this.atBoundary = this.lastByte === newline && before === newline;
    if (!this.reader.write(chunk)) this.body.pause();
  }

  /** How much of a chunk belongs to the frame that has begun; null when its end is still to come. */
  private endOfFrame(chunk: Buffer): number | null {
    if (this.lastByte === newline && chunk[0] === newline) return 1;
    this.lastByte = chunk[chunk.length - 1] ?? 0;
    const found = chunk.indexOf(blankLine);
    return found < 0 ? null : found + blankLine.length;
  }

  private end(): void {
    this.reader.end(this.closingFrame);
  }
}
