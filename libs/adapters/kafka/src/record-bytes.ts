/** A record as the client gives it to be put into a batch; what it may hold besides is not asked for here. */
export interface BatchRecord {
  offsetDelta?: number;
  timestampDelta?: number;
  key?: string | Buffer | null;
  value?: Buffer | string | null;
  headers?: Record<string, Buffer | string | null | (Buffer | string)[]>;
}

/** What the client takes for an encoder that holds the record's bytes. */
export interface EncodedRecord {
  buf: Buffer;
  buffer: Buffer;
}

/** Lengths below take one or two bytes each, most numbers one; five are the most that one of 32 bits takes. */
const numberBytesMax = 5;

/**
 * A record of Kafka's message format 2 in one buffer.
 *
 * The client makes a buffer of 512 bytes for each header, and copies it into the record's.
 * Gives    null for a record that our publisher does not make: one with a time of its own, without key or value, or
 *          with headers that are no texts.
 * Source   https://kafka.apache.org/documentation/#record
 */
export function recordBytes(record: BatchRecord): EncodedRecord | null {
  const { offsetDelta = 0, timestampDelta = 0, key, value, headers = {} } = record;
  if (timestampDelta !== 0 || typeof key !== 'string' || !Buffer.isBuffer(value)) return null;
  const texts: string[] = [];
  for (const name in headers) {
    const text = headers[name];
    if (typeof text !== 'string') return null;
    texts.push(name, text);
  }
  let most = 1 + 5 * numberBytesMax + 3 * key.length + value.length + texts.length * numberBytesMax;
  for (const text of texts) most += 3 * text.length;
  const body = new Room(most);
  body.bytes[body.end++] = 0; // attributes
  body.bytes[body.end++] = 0; // milliseconds after the first record of the batch
  body.number(offsetDelta);
  body.text(key);
  body.number(value.length);
  body.end += value.copy(body.bytes, body.end);
  body.number(texts.length / 2);
  for (const text of texts) body.text(text);
  return body.withLength();
}

/** A buffer that is filled from its start. Room for the length of all that follows is kept before it. */
class Room {
  readonly bytes: Buffer;
  end = numberBytesMax;

  constructor(bytesMax: number) {
    this.bytes = Buffer.allocUnsafe(numberBytesMax + bytesMax);
  }

  /** In zigzag: small numbers of either sign take one byte. */
  number(value: number): void {
    this.end = put(this.bytes, this.end, value);
  }

  text(value: string): void {
    const { bytes, end } = this;
    const length = bytes.write(value, end + 1); // its place where the length takes one byte, as most do
    const from = put(bytes, end, length);
    if (from !== end + 1) bytes.write(value, from);
    this.end = from + length;
  }

  withLength(): EncodedRecord {
    const length = this.end - numberBytesMax;
    const from = numberBytesMax - sizeOf(length);
    put(this.bytes, from, length);
    const buffer = this.bytes.subarray(from, this.end);
    return { buf: buffer, buffer };
  }
}

/** Numbers near zero of either sign become small ones. */
function zigzag(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

function put(bytes: Buffer, at: number, value: number): number {
  let rest = zigzag(value);
  let end = at;
  for (; rest > 127; rest >>>= 7) bytes[end++] = (rest & 127) | 128;
  bytes[end++] = rest;
  return end;
}

function sizeOf(value: number): number {
  return Math.max(1, Math.ceil((32 - Math.clz32(zigzag(value))) / 7));
}
