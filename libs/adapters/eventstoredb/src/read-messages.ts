/*
 * The messages of the Read call of EventStoreDB's protocol, by hand: the generated classes and what the client makes of
 * them cost several times what a read costs otherwise. Numbers of fields are those of its `streams.proto`.
 */

import type { Position } from '@aos/kernel';
import type { Position as LogPosition } from '@eventstore/db-client';
import { logPosition } from './position.js';

/** An event as a read gives it; data and metadata are not parsed yet. */
export interface ReadEvent {
  id: string;
  type: string;
  isJson: boolean;
  data: Buffer;
  meta: Buffer;
  stream: string;
  revision: number;
  commit: bigint;
  prepare: bigint;
}

export interface StreamRead {
  from: number | 'start' | 'end';
  backwards: boolean;
  limit: number;
}

const varint = 0;
const fixed64 = 1;
const text = 2;
const fixed32 = 5;
const safeDigits = 7;
const empty: Buffer = Buffer.alloc(0);

/** An event, that there is no such stream, or a message that says neither. */
export type ReadAnswer = ReadEvent | 'no_stream' | null;

/** Option of every request: ids come as text. */
const idsAsText = textField(9, textField(2, empty));

/** Asks for events of one stream. */
export function streamReadRequest(stream: string, { from, backwards, limit }: StreamRead): Buffer {
  const start = typeof from === 'number' ? numberField(2, from) : textField(from === 'start' ? 3 : 4, empty);
  const identifier = textField(3, Buffer.from(stream, 'utf8'));
  return readRequest(textField(1, Buffer.concat([textField(1, identifier), start])), backwards, limit);
}

/** Asks for the last event of the log. */
export function lastReadRequest(): Buffer {
  return readRequest(textField(2, textField(3, empty)), true, 1);
}

/** Asks for all behind a position, and for what comes, of streams with these prefixes; the empty text is the start. */
export function followRequest(prefixes: readonly string[], from: Position): Buffer {
  const start = from === '' ? textField(2, empty) : textField(1, positionFields(logPosition(from)));
  const names = textField(1, Buffer.concat(prefixes.map((prefix) => textField(2, Buffer.from(prefix, 'utf8')))));
  const filter = textField(7, Buffer.concat([names, textField(4, empty), numberField(5, 1)]));
  return textField(1, Buffer.concat([textField(2, start), textField(6, empty), filter, idsAsText]));
}

/** What a subscription gives: an event, the place up to which all was looked at, a word, or what says neither. */
export type FeedAnswer = ReadEvent | LogPosition | 'confirmed' | 'caught_up' | null;

/** Reads one message of a subscription. Throws as `readAnswer` does. */
export function feedAnswer(message: Buffer): FeedAnswer {
  let answer: FeedAnswer = null;
  const fields = new Fields(message);
  while (fields.next()) {
    if (fields.number === 1) answer = readEvent(fields.bytes()) ?? answer;
    else if (fields.number === 2) answer = 'confirmed';
    else if (fields.number === 3) answer = positionOf(fields.bytes());
    else if (fields.number === 8) answer = 'caught_up';
  }
  return answer;
}

/** Reads one message of a read. Throws for an event without its parts, and for bytes that are no message. */
export function readAnswer(message: Buffer): ReadAnswer {
  let answer: ReadAnswer = null;
  const fields = new Fields(message);
  while (fields.next()) {
    if (fields.number === 1) answer = readEvent(fields.bytes()) ?? answer;
    else if (fields.number === 4) answer = 'no_stream';
  }
  return answer;
}

/** Options: what is read, its direction, how many, no filter, and ids as text. */
function readRequest(what: Buffer, backwards: boolean, limit: number): Buffer {
  const options = [what, numberField(3, backwards ? 1 : 0), numberField(5, limit), textField(8, empty), idsAsText];
  return textField(1, Buffer.concat(options));
}

/** A field of bytes, text or another message. */
function textField(number: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + text, ...digitsOf(value.length)]), value]);
}

function numberField(number: number, value: number): Buffer {
  return Buffer.from([number * 8 + varint, ...digitsOf(value)]);
}

function positionFields({ commit, prepare }: LogPosition): Buffer {
  return Buffer.from([varint + 8, ...longDigitsOf(commit), varint + 16, ...longDigitsOf(prepare)]);
}

function longDigitsOf(value: bigint): number[] {
  const [digits, rest] = [Number(value & 0x7fn), value >> 7n];
  return rest === 0n ? [digits] : [digits + 128, ...longDigitsOf(rest)];
}

/** Seven bits in each byte, the lowest first; all but the last have the highest bit. */
function digitsOf(value: number): number[] {
  const digits: number[] = [];
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no number of an event`);
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...digits, rest];
    digits.push((rest % 128) + 128);
  }
}

/** The event itself; of a link only what it stands for. */
function readEvent(message: Buffer): ReadEvent | null {
  const fields = new Fields(message);
  let found: ReadEvent | null = null;
  while (fields.next()) if (fields.number === 1) found = recorded(fields.bytes());
  return found;
}

function positionOf(message: Buffer): LogPosition {
  const fields = new Fields(message);
  const position = { commit: 0n, prepare: 0n };
  while (fields.next()) {
    if (fields.number === 1) position.commit = fields.integer();
    else if (fields.number === 2) position.prepare = fields.integer();
  }
  return position;
}

function recorded(message: Buffer): ReadEvent {
  const fields = new Fields(message);
  let [id, type, contentType, stream] = ['', '', '', ''];
  let data = empty;
  let meta = empty;
  let [revision, commit, prepare] = [0n, 0n, 0n];
  while (fields.next()) {
    if (fields.number === 1) id = textOf(fields.bytes(), 2);
    else if (fields.number === 2) stream = textOf(fields.bytes(), 3);
    else if (fields.number === 3) revision = fields.integer();
    else if (fields.number === 4) prepare = fields.integer();
    else if (fields.number === 5) commit = fields.integer();
    else if (fields.number === 6) {
      const entry = fields.bytes();
      const name = textOf(entry, 1);
      if (name === 'type') type = textOf(entry, 2);
      else if (name === 'content-type') contentType = textOf(entry, 2);
    } else if (fields.number === 7) meta = fields.bytes();
    else if (fields.number === 8) data = fields.bytes();
  }
  if (id === '' || stream === '') throw new Error('the event store gave an event without its id or stream');
  const isJson = contentType === 'application/json';
  return { id, type, isJson, data, meta, stream, revision: Number(revision), commit, prepare };
}

/** One field of a message as text; empty where it is absent. */
function textOf(message: Buffer, wanted: number): string {
  const fields = new Fields(message);
  while (fields.next()) if (fields.number === wanted) return fields.bytes().toString('utf8');
  return '';
}

/** The fields of a message, one after the other. */
class Fields {
  private at = 0;
  private kind = varint;
  private isTaken = true;
  number = 0;

  constructor(private readonly message: Buffer) {}

  /** Goes to the next field; what was not taken of this one is passed over. */
  next(): boolean {
    if (!this.isTaken) this.pass();
    if (this.at >= this.message.length) return false;
    const key = this.small();
    this.number = key >>> 3;
    this.kind = key & 7;
    this.isTaken = false;
    return true;
  }

  bytes(): Buffer {
    this.take(text);
    const length = this.small();
    this.at += length;
    if (this.at > this.message.length) throw new RangeError('a message of the event store ends too early');
    return this.message.subarray(this.at - length, this.at);
  }

  /** Up to 64 bits. */
  integer(): bigint {
    this.take(varint);
    let value = 0n;
    for (let shift = 0; shift < 70; shift += 7 * safeDigits) {
      const { digits, isLast } = this.digits();
      value |= BigInt(digits) << BigInt(shift);
      if (isLast) return BigInt.asUintN(64, value);
    }
    throw new RangeError('a number of the event store is too long');
  }

  /** Of a key or a length. */
  private small(): number {
    const { digits, isLast } = this.digits();
    if (!isLast) throw new RangeError('a length of the event store is too long');
    return digits;
  }

  /** Up to seven digits of a number, of seven bits each: as many as a number of JavaScript holds exactly. */
  private digits(): { digits: number; isLast: boolean } {
    let [digits, factor] = [0, 1];
    for (let n = 0; n < safeDigits; n += 1, factor *= 128) {
      const byte = this.message[this.at];
      if (byte === undefined) throw new RangeError('a message of the event store ends too early');
      this.at += 1;
      digits += (byte & 0x7f) * factor;
      if (byte < 0x80) return { digits, isLast: true };
    }
    return { digits, isLast: false };
  }

  private take(kind: number): void {
    if (this.kind !== kind)
      throw new RangeError(`field ${this.number} of a message of the event store is of kind ${this.kind}`);
    this.isTaken = true;
  }

  private pass(): void {
    if (this.kind === text) this.bytes();
    else if (this.kind === varint) this.integer();
    else if (this.kind === fixed64) this.at += 8;
    else if (this.kind === fixed32) this.at += 4;
    else throw new RangeError(`field ${this.number} of a message of the event store is of kind ${this.kind}`);
    this.isTaken = true;
  }
}
