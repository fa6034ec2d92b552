import type { Block, LivePreview, LiveSignal } from '@aos/sessions/published';

type Signal<T extends LiveSignal['type']> = Extract<LiveSignal, { type: T }>;

/** The row that a turn is writing, as far as this process has seen it. */
export interface LiveRow {
  turnId: string;
  messageId: string;
  turnIndex: number;
  createdAt: string;
  model: string;
  content: Block[];
  liveSequence: number;
  updatedAt: string;
}

/** The row that a preview shows, with the preview's own content. */
export function previewedRow(preview: LivePreview): LiveRow {
  return {
    turnId: preview.turn_id,
    messageId: preview.message_id,
    turnIndex: preview.turn_index,
    createdAt: preview.created_at,
    model: preview.model,
    content: preview.content,
    liveSequence: preview.last_live_sequence,
    updatedAt: preview.updated_at,
  };
}

/** What a signal, or a preview that was read, changed for viewers. */
export type LiveChange =
  | { type: 'row'; row: LiveRow; discarded?: true; signal?: undefined }
  | { type: 'block'; row: LiveRow; contentIndex: number; block: Block; closed: boolean; signal?: undefined }
  | { type: 'delta'; row: LiveRow; contentIndex: number; text?: string; thinking?: string; signal: Signal<'delta'> }
  | { type: 'tool_call'; signal: Signal<'tool_call'> }
  | { type: 'tool_result'; signal: Signal<'tool_result'> };

/**
 * Streaming rows by turn, grown signal by signal.
 *
 * A signal that does not fit on what is known (`gap`) means that others were lost: the caller reads the preview and
 * gives it to `adopt`. Text that is known already is skipped by its offset, so that a preview may be ahead of the
 * signals.
 */
export class LiveRows {
  private readonly rows = new Map<string, LiveRow>();

  get(turnId: string): LiveRow | undefined {
    return this.rows.get(turnId);
  }

  all(): LiveRow[] {
    return [...this.rows.values()];
  }

  /** The turn's row was committed, or the turn ended. */
  drop(turnId: string): void {
    this.rows.delete(turnId);
  }

  /** Gives the frames for viewers, nothing when they have them already, or `gap`. */
  apply(signal: LiveSignal): LiveChange | null | 'gap' {
    switch (signal.type) {
      case 'row_started':
        return this.started(signal);
      case 'block_opened':
        return this.block(signal, false);
      case 'block_closed':
        return this.block(signal, true);
      case 'delta':
        return this.delta(signal);
      case 'row_discarded':
        return this.discarded(signal);
      case 'tool_call':
        return { type: 'tool_call', signal };
      case 'tool_result':
        return { type: 'tool_result', signal };
      case 'compaction_started':
      case 'compaction_failed':
        return null; // sent from the log, which cannot be lost
    }
  }

  /** Takes over a preview that knows more than this process does. */
  adopt(preview: LivePreview): LiveChange | null {
    const known = this.rows.get(preview.turn_id);
    if (
      known &&
      known.messageId === preview.message_id &&
      textLength(known.content) >= textLength(preview.content) &&
      known.content.length >= preview.content.length
    )
      return null;
    const row = { ...previewedRow(preview), content: structuredClone(preview.content) };
    this.rows.set(row.turnId, row);
    return { type: 'row', row };
  }

  private started(signal: Signal<'row_started'>): LiveChange | null {
    if (!signal.turn_id) return null;
    const row: LiveRow = {
      turnId: signal.turn_id,
      messageId: signal.message_id,
      turnIndex: signal.turn_index,
      createdAt: signal.created_at,
      model: signal.model,
      content: [],
      liveSequence: signal.live_sequence,
      updatedAt: signal.emitted_at,
    };
    this.rows.set(row.turnId, row);
    return { type: 'row', row };
  }

  private rowOf(signal: LiveSignal & { message_id: string }): LiveRow | null {
    const row = signal.turn_id ? this.rows.get(signal.turn_id) : undefined;
    if (!row || row.messageId !== signal.message_id) return null;
    row.liveSequence = Math.max(row.liveSequence, signal.live_sequence);
    row.updatedAt = signal.emitted_at;
    return row;
  }

  private block(signal: Signal<'block_opened' | 'block_closed'>, closed: boolean): LiveChange | null | 'gap' {
    const row = this.rowOf(signal);
    if (!row || signal.content_index > row.content.length) return 'gap';
    const known = row.content[signal.content_index];
    if (!closed && known && known.type === signal.block.type) return null;
    row.content[signal.content_index] = { ...signal.block }; // its text grows; what it holds is never changed
    return { type: 'block', row, contentIndex: signal.content_index, block: signal.block, closed };
  }

  private delta(signal: Signal<'delta'>): LiveChange | null | 'gap' {
    const row = this.rowOf(signal);
    const block = row?.content[signal.content_index];
    if (!row || !block) return 'gap';
    const member = signal.thinking === undefined ? 'text' : 'thinking';
    const grown = signal[member] ?? '';
    const known = typeof block[member] === 'string' ? block[member] : '';
    if (signal.offset > known.length) return 'gap';
    const fresh = grown.slice(known.length - signal.offset);
    if (fresh === '') return null;
    block[member] = known + fresh;
    return { type: 'delta', row, contentIndex: signal.content_index, [member]: fresh, signal };
  }

  private discarded(signal: Signal<'row_discarded'>): LiveChange | null {
    const row = this.rowOf(signal);
    if (!row) return null;
    row.content = [];
    return { type: 'row', row, discarded: true };
  }
}

function textLength(content: readonly Block[]): number {
  let length = 0;
  for (const block of content) {
    if (typeof block.text === 'string') length += block.text.length;
    if (typeof block.thinking === 'string') length += block.thinking.length;
  }
  return length;
}
