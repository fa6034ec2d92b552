import { typed } from './json.js';
import type { Schema, TranscriptFrame } from './wire.js';

export type TranscriptMessage = Schema<'SessionTranscriptMessage'>;
export type TranscriptTurn = Schema<'SessionTranscriptTurn'>;
export type Interaction = Schema<'Interaction'>;
export type Snapshot = Schema<'SessionTranscriptSnapshot'>;
type Block = TranscriptMessage['content'][number] & Record<string, unknown>;
type FrameData = TranscriptFrame['data'];

/** A turn that nothing follows in. */
export function isFinal({ status }: { status: string }): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/**
 * What a reader keeps of a session: records are replaced by id, blocks by place; deltas and patches count only where
 * row and block are known; streaming rows go with the final frame of their turn. A record that changes is a new object.
 */
export class TranscriptFold {
  readonly messages: Map<string, TranscriptMessage> = new Map();
  readonly turns: Map<string, TranscriptTurn> = new Map();
  readonly interactions: Map<string, Interaction> = new Map();

  apply({ data }: { data: FrameData }): void {
    switch (data.event_type) {
      case 'message.upsert':
        this.putMessage(recordOf<TranscriptMessage>(data));
        break;
      case 'turn.upsert':
        this.putTurn(recordOf<TranscriptTurn>(data));
        break;
      case 'interaction.upsert':
        this.putInteraction(recordOf<Interaction>(data));
        break;
      case 'message.block':
      case 'message.delta':
      case 'message.block.patch':
        this.changeBlock(typed<BlockChange>(data));
        break;
      default: // frames of other types are for other readers
        break;
    }
  }

  /** Takes one page of a snapshot; with the last one streaming rows and pending interactions that are absent go. */
  applyPage(page: Snapshot, isLast: boolean): void {
    for (const message of page.messages) this.putMessage(message);
    for (const turn of page.turns) this.putTurn(turn);
    for (const interaction of page.interactions) this.putInteraction(interaction);
    if (!isLast) return;
    const messages = new Set(page.messages.map(({ id }) => id));
    for (const [id, { status }] of this.messages)
      if (status === 'streaming' && !messages.has(id)) this.messages.delete(id);
    const interactions = new Set(page.interactions.map(({ id }) => id));
    for (const [id, { status }] of this.interactions)
      if (status === 'pending' && !interactions.has(id)) this.interactions.delete(id);
  }

  /** Rows in their order, those that are still streaming at the end. */
  ordered(): TranscriptMessage[] {
    return [...this.messages.values()].sort(
      (a, b) => placeOf(a) - placeOf(b) || (a.turn_index ?? 0) - (b.turn_index ?? 0),
    );
  }

  private putMessage(message: TranscriptMessage): void {
    this.messages.set(message.id, message);
  }

  private putTurn(turn: TranscriptTurn): void {
    this.turns.set(turn.id, turn);
    if (!isFinal(turn)) return;
    for (const [id, message] of this.messages)
      if (message.turn_id === turn.id && message.status === 'streaming') this.messages.delete(id);
  }

  private putInteraction(interaction: Interaction): void {
    this.interactions.set(interaction.id, interaction);
  }

  private changeBlock(change: BlockChange): void {
    const message = this.messages.get(change.message_id);
    const block = message?.content[change.content_index] as Block | undefined;
    if (!message) return;
    const changed = change.event_type === 'message.block' ? change.block : block && changedBlock(block, change);
    if (!changed) return;
    const content = [...message.content];
    content[change.content_index] = changed;
    this.messages.set(message.id, { ...message, content });
  }
}

interface BlockChange {
  event_type: 'message.block' | 'message.delta' | 'message.block.patch';
  message_id: string;
  content_index: number;
  block?: Block;
  text?: string;
  thinking?: string;
  status?: unknown;
  progress?: unknown;
  resolved_action?: unknown;
}

function changedBlock(block: Block, change: BlockChange): Block {
  if (change.event_type === 'message.delta') {
    const grown: Record<string, unknown> = { ...block };
    for (const field of ['text', 'thinking'] as const)
      if (typeof change[field] === 'string') grown[field] = String(block[field] ?? '') + change[field];
    return grown as Block;
  }
  const patched: Record<string, unknown> = { ...block };
  for (const field of ['status', 'progress', 'resolved_action'] as const)
    if (change[field] !== undefined) patched[field] = change[field];
  if (change.progress === null) delete patched['progress'];
  return patched as Block;
}

function recordOf<Row>(data: FrameData): Row {
  const { event_type: _type, ...fields } = data;
  return typed<Row>(fields);
}

function placeOf({ sequence }: TranscriptMessage): number {
  return sequence ?? Number.MAX_SAFE_INTEGER;
}
