import { Injectable } from '@nestjs/common';
import { StoreUnavailable, type DeciderEntry } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { BatchDecisions } from './batch-decisions.js';
import type { BatchOutcome } from './batch.state.js';
import { settledSlot, type SettledSlot, type SlotCommand } from './row.decide.js';
import type { RowEvent, RowRecord, StageMark } from './row.events.js';
import { rowKind, type RowState } from './row.state.js';

const redecideMax = 64;

/**
 * What a write does at a stream that waits for a batch: wait for the batch's decision, or give way at once by a throw.
 */
export type Patience = (mark: StageMark) => Promise<BatchOutcome>;

export interface SlotWrite {
  /** Absent: wait for the batch. */
  patience?: Patience;
  /**
   * The identity is taken to be unused without a look; the append finds out if it is not, and then the stream is read.
   */
  isNew?: boolean;
}

/** An entry of the rows' decider. */
export type RowEntry<C> = DeciderEntry<RowState, RowEvent, SlotCommand<C>>;

export interface WrittenSlot {
  /** The stream as it was judged; large values put back. */
  judged: SettledSlot;
  /** What was written; empty when there was nothing to write. */
  events: readonly RowEvent[];
  /** Revision of the stream after it. */
  revision: number;
  /** The row after it. */
  row: RowRecord | null;
}

/**
 * Writes to one row's stream. A batch that staged a row there is settled first, and values from the blob store are put
 * back.
 */
@Injectable()
export class RowStreams {
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly streams: DefinitionStreams,
    private readonly batches: BatchDecisions,
  ) {}

  /**
   * Judges the stream's true end and writes at exactly that revision; judged again when it moved. Writers of one stream
   * in this process take turns.
   */
  async write<C>(
    entry: RowEntry<C>,
    slot: string,
    actor: Actor,
    command: C,
    how: SlotWrite = {},
  ): Promise<WrittenSlot> {
    const before = this.turns.get(slot) ?? Promise.resolve();
    const mine = before.then(
      async () =>
        (how.isNew ? await this.writeNew(entry, slot, actor, command) : null) ??
        this.writeAlone(entry, slot, actor, command, how),
    );
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.turns.set(slot, settled);
    try {
      return await mine;
    } finally {
      if (this.turns.get(slot) === settled) this.turns.delete(slot);
    }
  }

  /** A stream as a reader judges it now: what is undecided does not stand yet. */
  async read(orgId: string, slot: string): Promise<SettledSlot & { moved: Readonly<Record<string, string>> }> {
    const { state, revision } = await this.streams.load(rowKind, slot);
    if (revision < 0 || state.org_id !== orgId) return { ...settledSlot(slot, rowKind.initial(), null), moved: {} };
    const { staged } = state;
    const outcome = staged ? await this.batches.outcome(staged.batch_id) : null;
    const judged = settledSlot(slot, state, outcome);
    const leftNow =
      staged?.kind === 'leaving' && outcome === 'committed' && state.row ? { [state.row.id]: staged.to } : {};
    return { ...judged, row: await this.streams.hydrate(orgId, judged.row), moved: { ...state.moved, ...leftNow } };
  }

  /** Writes the first events of a stream; null when it has some already, or when there is nothing to write. */
  private async writeNew<C>(
    { kind, decide }: RowEntry<C>,
    slot: string,
    actor: Actor,
    command: C,
  ): Promise<WrittenSlot | null> {
    const state = kind.initial();
    const events = decide({ slot, outcome: null, command }, state, -1);
    if (events.length === 0 || !(await this.streams.writeAt(kind, slot, actor, -1, events, { isNew: true })))
      return null;
    const judged = settledSlot(slot, state, null);
    return { judged, events, revision: events.length - 1, row: rowAfter(null, events) };
  }

  private async writeAlone<C>(
    { kind, decide }: RowEntry<C>,
    slot: string,
    actor: Actor,
    command: C,
    { patience }: SlotWrite,
  ): Promise<WrittenSlot> {
    const wait = patience ?? ((mark: StageMark) => this.batches.awaited(mark, actor));
    for (let attempt = 0; attempt < redecideMax; attempt += 1) {
      const { state: stored, revision } = await this.streams.load(kind, slot);
      const outcome = stored.staged ? await wait(stored.staged) : null;
      const state = await this.whole(actor.orgId, stored, outcome);
      const judged = settledSlot(slot, state, outcome);
      const events = decide({ slot, outcome, command }, state, revision);
      if (events.length === 0) return { judged, events, revision, row: judged.row };
      if (!(await this.streams.writeAt(kind, slot, actor, revision, events))) continue;
      return { judged, events, revision: revision + events.length, row: rowAfter(judged.row, events) };
    }
    throw new StoreUnavailable(`row ${slot} changes again and again`);
  }

  /** The state with the values put back of the row that stands by the outcome. */
  private async whole(orgId: string, state: RowState, outcome: BatchOutcome | null): Promise<RowState> {
    const { staged, row } = state;
    if (outcome !== 'committed') return { ...state, row: await this.streams.hydrate(orgId, row) };
    if (staged?.kind !== 'arriving') return state;
    return { ...state, staged: { ...staged, row: await this.streams.hydrate(orgId, staged.row) } };
  }
}

function rowAfter(before: RowRecord | null, events: readonly RowEvent[]): RowRecord | null {
  let row = before;
  for (const event of events) {
    if (event.type === 'RowInserted' || event.type === 'RowUpdated') row = event.data.row;
    else if (event.type === 'RowDeleted' || event.type === 'RowDropped') row = null;
  }
  return row;
}
