import { Injectable, Optional } from '@nestjs/common';
import {
  Clock,
  Egress,
  EgressFailure,
  GenerationalCache,
  type Json,
  type JsonObject,
  type MediaReference,
  type ModelBlock,
  type ModelMessage,
  type ModelOption,
} from '@aos/kernel';
import { Decisions, DocumentTexts, documentKind, inUtf8 } from '@aos/platform';
import type { Row, SessionEvent } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import { FileMedia, type MediaFile } from '../turn/file-media.js';
import { readableAs, typeOfBytes } from '../turn/media-types.js';
import { isMedia } from './model-window.js';

/** Control S27. */
const fetchMs = 15_000;
const mediaBytesMax = 10 * 1024 * 1024;
/**
 * Media in one model call, the newest first: vendors take no request over 32 MiB, and base 64 makes four bytes of
 * three.
 */
const callMediaMax = 100;
const callBytesMax = 20 * 1024 * 1024;
/** Addresses that one model call asks, the newest; and how much is looked for at once. */
const fetchesMax = 20;
const atOnceMax = 4;
const keptBytesMax = 64 * 1024 * 1024;
const keptMax = 1000;
const failureKeptMs = 60_000;
/** Characters of a media type that are shown. */
const shownTypeMax = 100;

type Remote = Extract<MediaReference, { type: 'remote' }>;
type Stored = Extract<MediaReference, { type: 'stored' }>;
type Filed = Extract<MediaReference, { type: 'artifact' }>;
/** `said`: a document's type, before it is made readable. */
type Found = { mediaType: string; bytes: Uint8Array; said?: string } | { failure: string; at: number };

export interface SessionReference {
  orgId: string;
  sessionId: string;
}

/** One model call's. */
interface Search extends SessionReference {
  signal: AbortSignal;
  /** Media of rows that were read for it, by revision and place: a row may hold twenty. */
  rows: Map<number, Promise<ReadonlyMap<string, Found>>>;
}

/**
 * Media of a transcript, fetched when a model is called that can see it: at addresses that callers gave, from files of
 * the service, or from the session's log. What was found is kept a while, so that the calls of a session see the same;
 * what could not be read is told to the model, and asked for again after a minute. The newest is given, up to 100
 * pieces and 20 MiB; what is older is named. A file that was deleted is not given any more, also if it was read before.
 *
 * Source   rules SES12, SES13, SES16, S38, TE8; control S27; the bounds of a call are ours.
 */
@Injectable()
export class MediaSources {
  private readonly kept = new GenerationalCache<Found>(keptMax, {
    weightMax: keptBytesMax - mediaBytesMax,
    weigh: sizeOf,
  }); // what makes a generation full may be over its half

  constructor(
    private readonly egress: Egress,
    private readonly clock: Clock,
    private readonly decisions: Decisions,
    private readonly documents: DocumentTexts,
    @Optional() private readonly files?: FileMedia,
  ) {}

  /**
   * Takes the places of messages that hold media. Gives the messages with what is there; media that the model cannot
   * see is left out.
   */
  async given(
    session: SessionReference,
    messages: readonly ModelMessage[],
    indexes: readonly number[],
    option: ModelOption,
    signal: AbortSignal,
  ): Promise<readonly ModelMessage[]> {
    if (indexes.length === 0) return messages;
    const named = option.documents ? unreadNamed(messages, indexes) : messages;
    if (option.offline) return named;
    const wanted = referencesOf(named, indexes)
      .filter(({ kind }) => (kind === 'image' ? option.vision : option.documents))
      .reverse();
    const found = await this.search({ ...session, signal, rows: new Map() }, wanted);
    const shown = new Map<MediaReference, ModelBlock>();
    let left = callBytesMax;
    for (const block of wanted) {
      const media = found.get(keyOf(session, block));
      left -= media ? sizeOf(media) : 0;
      shown.set(block, asBlock(block, left < 0 ? undefined : media));
    }
    return replaced(named, indexes, (block) => shown.get(block) ?? null);
  }

  /** The newest of these, which come first: nothing more is begun when what was found fills a call. */
  private async search(search: Search, wanted: readonly MediaReference[]): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    const line = this.asked(search, wanted);
    let bytes = 0;
    await Promise.all(
      Array.from({ length: Math.min(atOnceMax, line.length) }, async () => {
        for (let next = line.shift(); next && bytes < callBytesMax; next = line.shift()) {
          const [key, block] = next;
          const media = await this.find(search, key, block);
          bytes += sizeOf(media);
          found.set(key, media);
        }
      }),
    );
    return found;
  }

  private asked(session: SessionReference, wanted: readonly MediaReference[]): [string, MediaReference][] {
    const asked = new Map<string, MediaReference>();
    let addresses = 0;
    for (const block of wanted.slice(0, callMediaMax)) {
      const key = keyOf(session, block);
      if (asked.has(key) || (block.type === 'remote' && (addresses += 1) > fetchesMax)) continue;
      asked.set(key, block);
    }
    return [...asked];
  }

  private async find(search: Search, key: string, block: MediaReference): Promise<Found> {
    if (block.type === 'artifact') return this.filed(search, key, block);
    const known = this.kept.get(key);
    if (known && this.isFresh(known)) return known;
    const whole = block.type === 'remote' ? await this.fetched(search, block) : await this.recorded(search, block);
    const found = await this.readable(search, whole);
    this.kept.set(key, found);
    return found;
  }

  /** What is given to the model of a document: its text, in UTF-8, else its bytes (rule TE82). */
  private async readable({ orgId, signal }: Search, found: Found): Promise<Found> {
    if ('failure' in found || found.said === undefined) return found;
    const { said, ...media } = found;
    const kind = documentKind(said);
    const mediaType = readableAs(said) ?? said;
    const bytes = isText(mediaType) && (kind ?? 'html') === 'html' ? inUtf8(said, found.bytes) : found.bytes;
    if (!kind) return { ...media, mediaType, bytes };
    const read = await this.documents.textOf(orgId, kind, bytes);
    signal.throwIfAborted();
    if ('failure' in read) return { failure: read.failure, at: this.clock.monotonic() };
    return { mediaType: 'text/plain', bytes: Buffer.from(read.text) };
  }

  /** Whether a file is there is asked for each call; what was read of it is kept. */
  private async filed(search: Search, key: string, { kind, artifactId }: Filed): Promise<Found> {
    const failed = (failure: string): Found => ({ failure, at: this.clock.monotonic() });
    const file = (await this.files?.find(search.orgId, artifactId)) ?? null;
    if (!file) return failed('it was deleted');
    if (file.sizeBytes > mediaBytesMax) return failed(reasons.response_too_large);
    const known = this.kept.get(key);
    if (known && this.isFresh(known)) return known;
    const ahead = kind === 'document' ? await convertedOf(file) : null;
    const found = ahead ?? (await contentOf(file, kind));
    const readable = typeof found === 'string' ? failed(found) : await this.readable(search, found);
    this.kept.set(key, readable);
    return readable;
  }

  private isFresh(found: Found): boolean {
    return 'bytes' in found || this.clock.monotonic() - found.at <= failureKeptMs;
  }

  private async recorded({ sessionId, rows }: Search, { revision, index, inner }: Stored): Promise<Found> {
    const row = rows.get(revision) ?? this.readRow(sessionId, revision);
    rows.set(revision, row);
    const at = positionOf(index, inner);
    const found = (await row).get(at);
    if (!found) throw new Error(`${sessionId}: there is no media at ${revision}/${at}`);
    return found;
  }

  private async readRow(sessionId: string, revision: number): Promise<ReadonlyMap<string, Found>> {
    const [event] = await this.decisions.read<SessionEvent>(sessionKind, sessionId, { from: revision, limit: 1 });
    const row = event && 'row' in event.data ? (event.data.row as Row) : null;
    const media = new Map<string, Found>();
    for (const [index, block] of row?.content.entries() ?? []) {
      takeInline(media, positionOf(index), block);
      if (block.type !== 'tool_result' || !Array.isArray(block.content)) continue;
      for (const [inner, within] of block.content.entries()) takeInline(media, positionOf(index, inner), within);
    }
    return media;
  }

  private async fetched({ orgId, signal }: Search, { url, kind }: Remote): Promise<Found> {
    const failed = (failure: string): Found => ({ failure, at: this.clock.monotonic() });
    try {
      const { status, headers, body } = await this.egress.send({
        url,
        orgId,
        method: 'GET',
        headers: { accept: '*/*' },
        timeoutMs: fetchMs,
        responseBytesMax: mediaBytesMax,
        signal,
      });
      if (status !== 200) return failed(`the address answered ${status}`);
      const mediaType = typeOfBytes(
        kind,
        Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        headers['content-type'] ?? '',
      );
      const said = headers['content-type'] ?? '';
      if (kind === 'document' && isText(mediaType)) return { mediaType, bytes: body, said };
      return mediaType ? { mediaType, bytes: body } : failed(`what is there is no ${kind} that can be read`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EgressFailure) return failed(reasons[error.reason]);
      throw error;
    }
  }
}

function positionOf(index: number, inner?: number): string {
  return inner === undefined ? `${index}` : `${index}.${inner}`;
}

function takeInline(media: Map<string, Found>, at: string, block: Json): void {
  const { source } = (block ?? {}) as JsonObject;
  const { type, media_type: mediaType, data } = (source ?? {}) as JsonObject;
  if (type !== 'base64') return;
  const said = String(mediaType);
  media.set(at, { mediaType: said, said, bytes: Buffer.from(String(data), 'base64') });
}

/** Null: no text was taken out of it ahead, or the store has lost it. */
async function convertedOf({ text }: MediaFile): Promise<Extract<Found, { bytes: Uint8Array }> | null> {
  const bytes = await text?.();
  return bytes ? { mediaType: 'text/plain', bytes } : null;
}

/** A file as a model is given it, or why it is not. */
async function contentOf(
  file: MediaFile,
  kind: Filed['kind'],
): Promise<Extract<Found, { bytes: Uint8Array }> | string> {
  const bytes = await file.read();
  if (!bytes) return 'a part of it is missing';
  const mediaType = typeOfBytes(kind, bytes, file.mediaType);
  if (kind === 'document' && isText(mediaType)) return { mediaType, bytes, said: file.mediaType };
  return mediaType ? { mediaType, bytes } : `what is there is no ${kind} that can be read`;
}

/** Media at addresses as text that names it, for a call that asks no addresses. */
export function namedMedia(messages: readonly ModelMessage[], indexes: readonly number[]): readonly ModelMessage[] {
  const here = indexes.filter((index) => index < messages.length);
  return here.length === 0
    ? messages
    : replaced(messages, here, (block) =>
        block.type !== 'stored' ? { type: 'text', text: `[${block.kind} at ${block.url}]` } : block,
      );
}

/** Documents of a type that nothing here reads as text that says so (rule TE82). */
function unreadNamed(messages: readonly ModelMessage[], indexes: readonly number[]): readonly ModelMessage[] {
  if (!referencesOf(messages, indexes).some((block) => block.type === 'stored' && block.unread !== undefined))
    return messages;
  return replaced(messages, indexes, (block) => {
    if (block.type !== 'stored' || block.unread === undefined) return block;
    const name = block.title === undefined ? 'document' : `document ${block.title}`;
    return {
      type: 'text',
      text: `[${name} was not read: ${block.unread.slice(0, shownTypeMax)} is not a type that can be read]`,
    };
  });
}

/** Texts for the model. They never contain the address that a name resolved to. */
const reasons: Readonly<Record<EgressFailure['reason'], string>> = {
  endpoint_blocked: 'the address may not be asked',
  timeout: 'the address did not answer in time',
  unreachable: 'the address could not be reached',
  response_too_large: `it is over ${mediaBytesMax} bytes`,
  redirect: 'the address redirects, which is not followed',
  invalid_url: 'the address cannot be asked',
  aborted: 'it was given up',
};

/** Null: the block is left out. */
function replaced(
  messages: readonly ModelMessage[],
  indexes: readonly number[],
  blockFor: (block: MediaReference) => ModelBlock | null,
): readonly ModelMessage[] {
  const given = [...messages];
  for (const index of indexes) {
    const message = given[index];
    if (message)
      given[index] = {
        ...message,
        content: message.content.flatMap((block) => (isMedia(block) ? (blockFor(block) ?? []) : [block])),
      };
  }
  return given;
}

function referencesOf(messages: readonly ModelMessage[], indexes: readonly number[]): MediaReference[] {
  return indexes.flatMap((index) => messages[index]?.content.filter(isMedia) ?? []);
}

function asBlock(block: MediaReference, found: Found | undefined): ModelBlock {
  const { kind, title } = block;
  const where = block.type === 'stored' ? title : `at ${block.url}`;
  if (!found) return { type: 'text', text: `[an earlier ${kind}${where === undefined ? '' : `, ${where}`}]` };
  const name = where === undefined ? kind : `${kind} ${where}`;
  if ('failure' in found) return { type: 'text', text: `[${name} was not read: ${found.failure}]` };
  if (kind === 'image') return { type: 'image', media_type: found.mediaType, bytes: found.bytes };
  return {
    type: 'document',
    media_type: found.mediaType,
    bytes: found.bytes,
    ...(title === undefined ? {} : { title }),
  };
}

function keyOf({ orgId, sessionId }: SessionReference, block: MediaReference): string {
  switch (block.type) {
    case 'remote':
      return `${orgId} ${block.kind} ${block.url}`;
    case 'artifact':
      return `${orgId} ${block.kind} ${block.artifactId}`;
    default:
      return `${orgId} ${sessionId} ${block.revision} ${positionOf(block.index, block.inner)}`;
  }
}

function isText(mediaType: string | null): mediaType is string {
  return mediaType?.startsWith('text/') ?? false;
}

function sizeOf(found: Found): number {
  return 'bytes' in found ? found.bytes.length : 0;
}
