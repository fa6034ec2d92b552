import type { Decisions } from '@aos/platform';
import type { SessionEvent } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import type { RowFragment } from './row-fragment.js';
import {
  TranscriptChunk,
  chunkAt,
  chunkEventTypes,
  chunkRevisions,
  type CallEndAt,
  type ChunkEvent,
} from './transcript-chunk.js';

/** Events of one read. */
const eventsPerRead = 512;
/** Chunks that a walk asks for at once. */
const chunksPerStep = eventsPerRead / chunkRevisions;
const emptyBytes = 500;
/** What the chunks of one session weigh at most; the newest stay. */
export const sessionBytesMax = 8 * 1024 * 1024;

export type FragmentSource = Pick<Decisions, 'scan' | 'read'>;

/** A walk over rows: where it begins, the last revision of the session, events that it is likely to pass. */
export interface RowWalk {
  from: number;
  head: number;
  span: number;
}

/** The fragments of one session, made from its stream as they are asked for. */
export class SessionFragments {
  private readonly chunks = new Map<number, TranscriptChunk>();
  private bytes = emptyBytes;

  constructor(
    private readonly source: FragmentSource,
    private readonly sessionId: string,
    private readonly agentId: string,
    private readonly onGrown: () => void,
  ) {}

  /** Bytes that it keeps, about. */
  get weight(): number {
    return this.bytes;
  }

  /**
   * Passes rows from a revision down, until `take` says false.
   *
   * Gives    the chunks that were met, ascending; null when a part of the way is not kept.
   */
  async rowsDown(
    { from, head, span }: RowWalk,
    take: (row: RowFragment) => boolean,
  ): Promise<TranscriptChunk[] | null> {
    let met: TranscriptChunk[] = [];
    for (let last = chunkAt(from); last >= 0;) {
      const wanted = met.length === 0 ? chunkAt(Math.max(0, from - span)) : 0;
      const first = Math.max(wanted, last - chunksPerStep + 1);
      const chunks = await this.range(first, last, head);
      if (!chunks) return null;
      met = [...chunks, ...met];
      for (const { rows } of chunks.toReversed()) {
        for (let at = rows.length - 1; at >= 0; at -= 1) {
          const row = rows[at];
          if (row && row.revision <= from && !take(row)) return met;
        }
      }
      last = first - 1;
    }
    return met;
  }

  /** What settles tool calls in a range of revisions, in order; null when a part of it is not kept. */
  async endsIn(from: number, through: number, head: number): Promise<CallEndAt[] | null> {
    const chunks = await this.range(chunkAt(from), chunkAt(Math.min(through, head)), head);
    return chunks && endsOf(chunks, from, through);
  }

  /** Chunks that are whole up to the head; null when one of them is not kept or the stream is not there. */
  private async range(first: number, last: number, head: number): Promise<TranscriptChunk[] | null> {
    const found: TranscriptChunk[] = [];
    for (let index = first; index <= last; index += 1) found.push(this.chunks.get(index) ?? new TranscriptChunk(index));
    let isGrown = false;
    for (const chunk of found) {
      while (chunk.upTo < Math.min(chunk.end, head)) {
        const before = chunk.upTo;
        await this.fill(found, before + 1, head);
        if (chunk.upTo === before) return null;
        isGrown = true;
      }
    }
    if (isGrown) this.keep(found);
    return found.some(({ isTooLarge }) => isTooLarge) ? null : found;
  }

  /** Reads on from a revision, up to the next chunk that is whole, and gives each chunk its events. */
  private async fill(chunks: readonly TranscriptChunk[], from: number, head: number): Promise<void> {
    const first = chunks[0]?.index ?? 0;
    let at = chunkAt(from) - first;
    while ((chunks[at + 1]?.upTo ?? head) < Math.min(chunks[at + 1]?.end ?? head, head)) at += 1;
    const through = Math.min(chunks[at]?.end ?? head, head);
    const limit = Math.min(eventsPerRead, through - from + 1);
    const { events, last } = await this.source.scan<SessionEvent>(sessionKind, this.sessionId, {
      from,
      limit,
      types: chunkEventTypes,
    });
    for (const event of events) {
      const chunk = chunks[chunkAt(event.revision) - first];
      if (!chunk || event.revision <= chunk.upTo) continue;
      chunk.take(await this.readable(event), this.sessionId, this.agentId);
    }
    if (last !== null) for (const chunk of chunks) if (chunk.end - chunkRevisions < last) chunk.seenThrough(last);
  }

  /** The event with what a chunk has to know of it: a large value may hide that too. */
  private async readable(event: ChunkEvent): Promise<ChunkEvent> {
    if (!event.isPartial || isReadable(event)) return event;
    const [whole] = await this.source.read<SessionEvent>(sessionKind, this.sessionId, {
      from: event.revision,
      limit: 1,
    });
    if (!whole) throw new Error(`${this.sessionId}: nothing at revision ${event.revision}`);
    return { ...whole, isPartial: true };
  }

  private keep(found: readonly TranscriptChunk[]): void {
    for (const chunk of found) this.chunks.set(chunk.index, chunk);
    this.bytes = emptyBytes;
    for (const index of [...this.chunks.keys()].sort((a, b) => b - a)) {
      const weight = this.chunks.get(index)?.weight ?? 0;
      if (this.bytes + weight > sessionBytesMax) this.chunks.delete(index);
      else this.bytes += weight;
    }
    this.onGrown();
  }
}

/** What settles tool calls within revisions, in order. */
export function endsOf(chunks: readonly TranscriptChunk[], from: number, through: number): CallEndAt[] {
  return chunks.flatMap(({ ends }) => ends.filter(({ revision }) => revision >= from && revision <= through));
}

/** Whether ids, places and types stand in the event itself. */
function isReadable(event: SessionEvent): boolean {
  switch (event.type) {
    case 'ToolCallFinished':
      return typeof event.data.outcome?.tool_call_id === 'string' && typeof event.data.outcome.status === 'string';
    case 'TurnCompleted':
    case 'TurnFailed':
    case 'TurnCancelled':
      return typeof event.data.turn?.seq === 'number';
    case 'MessageAppended':
    case 'ContextRecorded':
    case 'TranscriptSummarised':
      return (
        typeof event.data.row?.sequence === 'number' &&
        Array.isArray(event.data.row.content) &&
        event.data.row.content.every((block) => typeof block.type === 'string')
      );
    default:
      return true;
  }
}
