import { Injectable } from '@nestjs/common';
import { listAt, type PersistentList } from '@aos/kernel';
import { pageBytesMax } from '@aos/platform';
import {
  CallOutcomes,
  TranscriptFragments,
  endsOf,
  settledCalls,
  transcriptText,
  type RowFragment,
  type TurnFragment,
} from '@aos/sessions/published';
import type { SessionNames } from '../frames/encoded.frames.js';

/** A page of a snapshot as JSON texts, ready to be put together. */
export interface PageTexts {
  messages: string[];
  turns: { id: string; text: string }[];
  /** Where the next page begins; null on the last one. */
  next: number | null;
}

/** What a page of fragments needs of the folded state. */
export interface FragmentStanding {
  names: SessionNames;
  /** The session's last revision and its highest sequence. */
  revision: number;
  sequence: number;
  queuedAt: PersistentList<number>;
  finalAt: PersistentList<number>;
}

/** Pages toward the beginning from texts that are kept: the bytes are those of `SnapshotPages.back`. */
@Injectable()
export class FragmentPages {
  constructor(private readonly fragments: TranscriptFragments) {}

  /**
   * The newest rows at or below a revision.
   *
   * Takes    the state, the last revision of the page, the snapshot's cut, rows wanted.
   * Gives    the page; null when a part of it is not kept and must be made from the stream.
   */
  async back(standing: FragmentStanding, through: number, cut: number, limit: number): Promise<PageTexts | null> {
    const { names, revision: head, sequence } = standing;
    const session = this.fragments.of(names.sessionId, names.agentId);
    const rows: RowFragment[] = [];
    let [bytes, isWhole, isFull] = [0, true, false];
    const span = Math.ceil(((limit + 1) * (head + 1)) / Math.max(1, sequence));
    const chunks = await session.rowsDown({ from: through, head, span }, (row) => {
      if (row.hidden !== undefined) return true;
      isFull = rows.length === limit;
      if (isFull) return false;
      isWhole = row.parts !== null;
      bytes += row.size;
      isFull = rows.length > 0 && bytes > pageBytesMax;
      if (isWhole && !isFull) rows.push(row);
      return isWhole && !isFull;
    });
    if (!chunks || !isWhole) return null;
    rows.reverse();
    const from = isFull ? (rows[0]?.revision ?? 0) : 0;
    const turns = inOrder(
      chunks.flatMap((chunk) => chunk.turns.filter(({ revision }) => revision >= from && revision <= through)),
      from,
      standing,
    );
    if (!turns) return null;
    const outcomes = new CallOutcomes();
    if (rows.some(({ calls }) => calls.length > 0))
      for (const end of endsOf(chunks, from, through)) outcomes.noteEnd(end);
    const found = rows.map((row) => ({ row, revision: row.revision }));
    const statusOf = await settledCalls(session, found, outcomes, cut, head);
    if (!statusOf) return null;
    return { messages: rows.map((row) => transcriptText(row, statusOf)), turns, next: isFull ? from : null };
  }
}

/**
 * Ended turns as the stream tells them: by the first event of each that lies in the range. Null where only the events
 * themselves say which came first, or a text is not kept.
 */
function inOrder(
  turns: readonly TurnFragment[],
  from: number,
  { queuedAt, finalAt }: FragmentStanding,
): { id: string; text: string }[] | null {
  const told = turns
    .filter(({ ordinal, revision }) => listAt(finalAt, ordinal) === revision)
    .map(({ id, ordinal, revision, text }) => ({ id, text, revision, first: listAt(queuedAt, ordinal) ?? -1 }))
    .sort((a, b) => a.first - b.first);
  const [earliest, second] = told;
  if (earliest && second && earliest.first < from && second.first < Math.max(from, earliest.revision)) return null;
  const texts: { id: string; text: string }[] = [];
  for (const { id, text } of told) {
    if (text === null) return null;
    texts.push({ id, text });
  }
  return texts;
}
