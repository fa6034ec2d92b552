import {
  TranscriptFold,
  type Interaction,
  type Schema,
  type Snapshot,
  type TranscriptFrame,
  type TranscriptMessage,
  type TranscriptTurn,
} from '@aos/client';
import { KeyedStore } from './keyed-store';
import { callIds, isOpen, itemsOf, kindOf, type Block, type Item } from './transcript-items';

type StoredMessage = Schema<'SessionMessage'>;

/** The result of a tool call, with the row that has it. */
export interface ToolResult {
  block: Block;
  at: string;
}

/**
 * A transcript as views watch it: one store for each sort of record, by id, and the list of what is shown. Frames and
 * older pages change it at once; listeners hear of it at the next flush, which the scheduler calls for.
 */
export class TranscriptView {
  readonly rows: KeyedStore<TranscriptMessage> = new KeyedStore();
  readonly turns: KeyedStore<TranscriptTurn> = new KeyedStore();
  readonly interactions: KeyedStore<Interaction> = new KeyedStore();
  /** By the id of the tool call. */
  readonly results: KeyedStore<ToolResult> = new KeyedStore();
  private readonly fold = new TranscriptFold();
  private readonly streaming = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private shown: readonly Item[] = [];
  private isShapeOld = false;

  /** Takes what has the changes flushed soon; it may be called for each change. */
  constructor(private readonly schedule: () => void) {}

  /** What is shown, in order; the same array while that is the same. */
  get items(): readonly Item[] {
    return this.shown;
  }

  /** Calls back when the list of what is shown has changed. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  apply(frame: TranscriptFrame): void {
    const {
      event_type: type,
      id,
      message_id: changed,
    } = frame.data as { event_type: string } & Record<string, unknown>;
    this.lend(changed);
    this.fold.apply(frame);
    if (type === 'message.upsert') this.take(String(id));
    else if (type.startsWith('message.')) this.take(String(changed));
    else if (type === 'turn.upsert') this.takeTurn(String(id));
    else if (type === 'interaction.upsert') this.takeInteraction(String(id));
    this.schedule();
  }

  /** Takes the newest page of a snapshot, with what is live. */
  applySnapshot(page: Snapshot): void {
    this.fold.applyPage(page, false);
    for (const { id } of page.messages) this.take(id);
    for (const { id } of page.turns) this.takeTurn(id);
    for (const { id } of page.interactions) this.takeInteraction(id);
    this.schedule();
  }

  /** Takes rows as lists give them: older ones, and those that the stream leaves out. */
  addRows(rows: readonly StoredMessage[]): void {
    for (const row of rows) {
      const known = this.rows.get(row.id);
      if (known === undefined || known.sequence === null) this.putRow(finalRow(row));
    }
    this.schedule();
  }

  /** Takes turns as lists give them; turns that came by the stream stay. */
  addTurns(turns: readonly TranscriptTurn[]): void {
    for (const turn of turns) {
      const known = this.turns.get(turn.id);
      if (known === undefined || known.updated_at < turn.updated_at) this.turns.set(turn.id, turn);
    }
    this.isShapeOld = true;
    this.schedule();
  }

  addInteractions(interactions: readonly Interaction[]): void {
    for (const one of interactions) {
      const known = this.interactions.get(one.id);
      if (known === undefined || known.updated_at < one.updated_at) this.interactions.set(one.id, one);
    }
    this.isShapeOld = true;
    this.schedule();
  }

  /** Turns that are not final, oldest first. */
  openTurns(): TranscriptTurn[] {
    return [...this.turns.all()].filter(isOpen).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Tells all listeners of what changed since the last flush. */
  flush(): void {
    if (this.isShapeOld) {
      this.isShapeOld = false;
      this.shown = this.withSameItems(
        itemsOf({
          rows: this.rows.all(),
          turn: (id) => this.turns.get(id),
          turns: this.turns.all(),
          interactions: this.interactions.all(),
        }),
      );
      for (const listener of [...this.listeners]) listener();
    }
    for (const store of [this.rows, this.turns, this.interactions, this.results]) store.flush();
  }

  /** A row that came by a list is put into the fold when a frame changes it. */
  private lend(id: unknown): void {
    const row = typeof id === 'string' ? this.rows.get(id) : undefined;
    if (row !== undefined && !this.fold.messages.has(row.id)) this.fold.messages.set(row.id, row);
  }

  private take(id: string): void {
    const row = this.fold.messages.get(id);
    if (row !== undefined) this.putRow(row);
    else this.dropRow(id);
  }

  private takeTurn(id: string): void {
    const turn = this.fold.turns.get(id);
    if (turn === undefined) return;
    if (this.turns.get(id)?.status !== turn.status) this.isShapeOld = true;
    this.turns.set(id, turn);
    for (const row of [...this.streaming]) if (!this.fold.messages.has(row)) this.dropRow(row);
  }

  private takeInteraction(id: string): void {
    const interaction = this.fold.interactions.get(id);
    if (interaction === undefined) return;
    if (this.interactions.get(id)?.status !== interaction.status) this.isShapeOld = true;
    this.interactions.set(id, interaction);
  }

  private putRow(row: TranscriptMessage): void {
    const before = this.rows.get(row.id);
    if (before === undefined || shapeOf(before) !== shapeOf(row)) this.isShapeOld = true;
    if (row.status === 'streaming') this.streaming.add(row.id);
    else this.streaming.delete(row.id);
    this.rows.set(row.id, row);
    for (const block of row.content as Block[])
      if (block.type === 'tool_result') this.putResult(String(block['tool_use_id']), block, row.created_at);
  }

  private putResult(callId: string, block: Block, at: string): void {
    if (this.results.get(callId)?.block !== block) this.results.set(callId, { block, at });
  }

  private dropRow(id: string): void {
    this.streaming.delete(id);
    if (!this.rows.has(id)) return;
    this.rows.delete(id);
    this.isShapeOld = true;
  }

  /** Items that are as before are the objects from before, so that their views need no look. */
  private withSameItems(items: readonly Item[]): readonly Item[] {
    const before = new Map(this.shown.map((item) => [item.key, item]));
    const same = items.map((item) => {
      const known = before.get(item.key);
      return known !== undefined && isSameItem(known, item) ? known : item;
    });
    const isSame = same.length === this.shown.length && same.every((item, index) => item === this.shown[index]);
    return isSame ? this.shown : same;
  }
}

/** Of two items with one key. */
function isSameItem(a: Item, b: Item): boolean {
  if (a.kind !== 'row' || b.kind !== 'row') return a.kind === b.kind;
  return a.row === b.row && a.isContinued === b.isContinued;
}

/** What of a row decides where and as what it is shown. */
function shapeOf(row: TranscriptMessage): string {
  return `${row.sequence} ${row.turn_id} ${kindOf(row)} ${callIds(row).join(' ')}`;
}

function finalRow(row: StoredMessage): TranscriptMessage {
  const { turn_id = null, metadata } = row;
  return { ...row, turn_id, status: 'final', turn_index: metadata?.response_message_index ?? null };
}
