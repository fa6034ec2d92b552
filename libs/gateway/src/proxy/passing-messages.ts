import { Transform, type TransformCallback } from 'node:stream';
import { closeCode } from '@aos/platform';

const finalBit = 0x80;
const maskedBit = 0x80;
const controlBit = 0x08;
const textOpcode = 0x01;
const closeOpcode = 0x08;

/**
 * What a service says over a WebSocket, on its way through the gateway as it comes; `finish` ends it from here between
 * two messages.
 * Source: RFC 6455, section 5.
 */
export class PassingMessages extends Transform {
  /** Bytes of the header of the frame that has begun; none between two frames. */
  private header: number[] = [];
  private headerBytes = 2;
  private left = 0;
  private isMessageOpen = false;
  private last: Buffer | null = null;
  private isFinished = false;

  /**
   * Says this text last and closes the connection as one whose key was revoked; what the service says from then on goes
   * nowhere.
   */
  finish(text: Buffer): void {
    if (this.last) return;
    const reason = Buffer.alloc(2);
    reason.writeUInt16BE(closeCode.policy);
    this.last = Buffer.concat([
      frame(textOpcode, text),
      frame(closeOpcode, Buffer.concat([reason, Buffer.from('revoked')])),
    ]);
    if (this.isBetween) this.sayLast();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let at = 0;
    while (at < chunk.length && !this.isFinished && !(this.last && this.isBetween)) at = this.pass(chunk, at);
    if (at > 0) this.push(chunk.subarray(0, at));
    if (this.last && this.isBetween) this.sayLast();
    done();
  }

  private get isBetween(): boolean {
    return this.header.length === 0 && !this.isMessageOpen;
  }

  private sayLast(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.push(this.last);
    this.push(null);
  }

  /** Gives up to where the chunk has been followed. */
  private pass(chunk: Buffer, at: number): number {
    if (this.header.length === this.headerBytes) {
      const passed = Math.min(this.left, chunk.length - at);
      this.left -= passed;
      if (this.left === 0) this.frameOver();
      return at + passed;
    }
    this.header.push(chunk[at] ?? 0);
    if (this.header.length === 2) this.headerBytes = 2 + extraBytes(this.header[1] ?? 0);
    if (this.header.length === this.headerBytes) {
      this.left = payloadBytes(this.header);
      if (this.left === 0) this.frameOver();
    }
    return at + 1;
  }

  private frameOver(): void {
    const [first = 0] = this.header;
    if ((first & controlBit) === 0) this.isMessageOpen = (first & finalBit) === 0;
    this.header = [];
    this.headerBytes = 2;
  }
}

/** Bytes of the header after its first two. */
function extraBytes(second: number): number {
  const length = second & ~maskedBit;
  const extended = length === 127 ? 8 : length === 126 ? 2 : 0;
  return extended + ((second & maskedBit) === 0 ? 0 : 4);
}

function payloadBytes(header: readonly number[]): number {
  const length = (header[1] ?? 0) & ~maskedBit;
  const bytes = length === 127 ? header.slice(2, 10) : length === 126 ? header.slice(2, 4) : [length];
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** One whole frame of a server. */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([finalBit | opcode, length]), payload]);
  const head = Buffer.from([finalBit | opcode, 126, 0, 0]);
  head.writeUInt16BE(length, 2); // a closing frame comes in a header: far below 64 KiB
  return Buffer.concat([head, payload]);
}
