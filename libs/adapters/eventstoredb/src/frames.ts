/** The largest event that a server may hold is one of 16 MB, metadata apart. */
const messageBytesMax = 17 * 1024 * 1024;
const headBytes = 5;

/** The messages of a gRPC answer, out of pieces as they come. */
export class Frames {
  private parts: Buffer[] = [];
  private size = 0;
  /** What the next message needs, as far as it is known. */
  private needed = headBytes;
  private at = 0;

  /** Whether nothing of a message is left. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  add(part: Buffer): void {
    this.parts.push(part);
    this.size += part.length;
  }

  /** The next message, null until it is whole. Throws for one that is packed or too large. */
  next(): Buffer | null {
    if (this.size < this.needed) return null;
    const bytes = this.joined();
    const length = bytes.readUInt32BE(this.at + 1);
    if (bytes[this.at] !== 0 || length > messageBytesMax)
      throw new Error('an answer of the event store is packed or too large');
    this.needed = headBytes + length;
    if (this.size < this.needed) return null;
    const from = this.at + headBytes;
    this.at += this.needed;
    this.size -= this.needed;
    this.needed = headBytes;
    if (this.size === 0) this.keep([]);
    return bytes.subarray(from, from + length);
  }

  /** What is left, in one piece: put together once for each message that came in several. */
  private joined(): Buffer {
    const [first, ...others] = this.parts;
    if (!first) throw new Error('no bytes are left');
    if (others.length === 0) return first;
    const bytes = Buffer.concat([first.subarray(this.at), ...others]);
    this.keep([bytes]);
    return bytes;
  }

  private keep(parts: Buffer[]): void {
    this.parts = parts;
    this.at = 0;
  }
}

/** A message as a call sends it. */
export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
