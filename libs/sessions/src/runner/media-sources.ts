import { Injectable } from '@nestjs/common';
import { Clock, Egress, EgressFailure, type ModelBlock, type ModelMessage, type ModelOption } from '@aos/kernel';
import { typeOfBytes } from '../turns/media-types.js';

/** Security S27. */
const fetchMs = 15_000;
const mediaBytesMax = 10 * 1024 * 1024;
/** Addresses that one model call asks, the newest; and how many at once. */
const fetchesMax = 20;
const atOnceMax = 4;
const keptBytesMax = 64 * 1024 * 1024;
const keptMax = 1000;
const failureKeptMs = 60_000;

type Remote = Extract<ModelBlock, { type: 'remote' }>;
type Found = { mediaType: string; bytes: Uint8Array } | { failure: string; at: number };

/**
 * Media at addresses that callers gave, fetched when a model is called that can see it. What was found is kept a while, so that the calls of a
 * session see the same; what could not be read is told to the model, and asked for again after a minute.
 *
 * Source   specification, Message content blocks; decision S38; security S27.
 */
@Injectable()
export class MediaSources {
  /** In order of use; the first goes first. */
  private readonly kept = new Map<string, Found>();
  private keptBytes = 0;

  constructor(private readonly egress: Egress, private readonly clock: Clock) {}

  /** Takes the places of messages that hold media at addresses. Gives the messages with what is there; media that the model cannot see is left out. */
  async given(orgId: string, messages: readonly ModelMessage[], places: readonly number[], option: ModelOption, signal: AbortSignal): Promise<readonly ModelMessage[]> {
    if (places.length === 0 || option.offline) return messages;
    const wanted = remotesOf(messages, places).filter(({ kind }) => (kind === 'image' ? option.vision : option.documents));
    const asked = new Map(wanted.reverse().slice(0, fetchesMax).map((block) => [keyOf(orgId, block), block]));
    const found = new Map<string, Found>();
    const line = [...asked];
    await Promise.all(Array.from({ length: Math.min(atOnceMax, line.length) }, async () => {
      for (let next = line.shift(); next; next = line.shift()) found.set(next[0], await this.find(next[0], next[1], signal));
    }));
    const seen = new Set<ModelBlock>(wanted);
    return replaced(messages, places, (block) => (seen.has(block) ? [asBlock(block, found.get(keyOf(orgId, block)))] : []));
  }

  private async find(key: string, block: Remote, signal: AbortSignal): Promise<Found> {
    const known = this.kept.get(key);
    if (known && !('failure' in known && this.clock.monotonic() - known.at > failureKeptMs)) {
      this.kept.delete(key);
      this.kept.set(key, known);
      return known;
    }
    const found = await this.fetched(block, signal);
    this.keep(key, found);
    return found;
  }

  private async fetched({ url, kind }: Remote, signal: AbortSignal): Promise<Found> {
    const failed = (failure: string): Found => ({ failure, at: this.clock.monotonic() });
    try {
      const { status, headers, body } = await this.egress.send({ url, method: 'GET', headers: { accept: '*/*' }, timeoutMs: fetchMs, responseBytesMax: mediaBytesMax, signal });
      if (status !== 200) return failed(`the address answered ${status}`);
      const mediaType = typeOfBytes(kind, Buffer.from(body.buffer, body.byteOffset, body.byteLength), headers['content-type'] ?? '');
      return mediaType ? { mediaType, bytes: body } : failed(`what is there is no ${kind} that can be read`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EgressFailure) return failed(reasons[error.reason]);
      throw error;
    }
  }

  private keep(key: string, found: Found): void {
    const before = this.kept.get(key);
    if (before) this.drop(key, before);
    this.kept.set(key, found);
    this.keptBytes += sizeOf(found);
    for (const [oldest, value] of this.kept) {
      if (this.kept.size <= keptMax && this.keptBytes <= keptBytesMax) break;
      this.drop(oldest, value);
    }
  }

  private drop(key: string, found: Found): void {
    this.kept.delete(key);
    this.keptBytes -= sizeOf(found);
  }
}

/** Media at addresses as text that names it, for a call that reads no media. */
export function namedMedia(messages: readonly ModelMessage[], places: readonly number[]): readonly ModelMessage[] {
  const here = places.filter((place) => place < messages.length);
  return here.length === 0 ? messages : replaced(messages, here, ({ kind, url }) => [{ type: 'text', text: `[${kind} at ${url}]` }]);
}

/** What the model is told; never where a name led. */
const reasons: Readonly<Record<EgressFailure['reason'], string>> = {
  endpoint_blocked: 'the address may not be asked',
  timeout: 'the address did not answer in time',
  unreachable: 'the address could not be reached',
  response_too_large: `it is over ${mediaBytesMax} bytes`,
  redirect: 'the address redirects, which is not followed',
  invalid_url: 'the address cannot be asked',
  aborted: 'it was given up',
};

function replaced(messages: readonly ModelMessage[], places: readonly number[], blocksOf: (block: Remote) => ModelBlock[]): readonly ModelMessage[] {
  const given = [...messages];
  for (const place of places) {
    const message = given[place];
    if (message) given[place] = { ...message, content: message.content.flatMap((block) => (block.type === 'remote' ? blocksOf(block) : [block])) };
  }
  return given;
}

function remotesOf(messages: readonly ModelMessage[], places: readonly number[]): Remote[] {
  return places.flatMap((place) => messages[place]?.content.filter((block) => block.type === 'remote') ?? []);
}

function asBlock({ kind, url, title }: Remote, found: Found | undefined): ModelBlock {
  if (!found) return { type: 'text', text: `[an earlier ${kind}, at ${url}]` };
  if ('failure' in found) return { type: 'text', text: `[${kind} at ${url} was not read: ${found.failure}]` };
  if (kind === 'image') return { type: 'image', media_type: found.mediaType, bytes: found.bytes };
  return { type: 'document', media_type: found.mediaType, bytes: found.bytes, ...(title === undefined ? {} : { title }) };
}

function keyOf(orgId: string, { kind, url }: Remote): string {
  return `${orgId} ${kind} ${url}`;
}

function sizeOf(found: Found): number {
  return 'bytes' in found ? found.bytes.length : 0;
}
