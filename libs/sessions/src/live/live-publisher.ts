import { rfc3339, type Clock, type LiveBus, type ModelEvent } from '@aos/kernel';
import type { Block, ToolCall } from '../session/session.events.js';
import { CallProgress } from './call-progress.js';
import { JoinedDelta, type Delta } from './joined-delta.js';
import {
  liveChannel,
  liveSequenceAt,
  previewEveryMs,
  previewKey,
  previewTtlMs,
  progressBytesMax,
  progressKey,
  type LivePreview,
  type LiveSignal,
} from './live.signals.js';

type Signal = LiveSignal extends infer S
  ? S extends LiveSignal
    ? Omit<S, 'turn_id' | 'live_sequence' | 'emitted_at'>
    : never
  : never;

/** The fields of a call that live signals carry. */
export type ShownCall = Pick<
  Extract<LiveSignal, { type: 'tool_call' }>,
  'message_id' | 'content_index' | 'tool_call_id' | 'tool_name'
>;

/** Shows a turn's unfinished row as it grows. Everything here may be lost: what is committed goes another way. */
export class LivePublisher {
  private liveSequence = 0;
  private deltaSequence = 0;
  private preview: LivePreview | null = null;
  private previewedAt = Number.NEGATIVE_INFINITY;
  /** The newest state is written at the latest when this fires: a model that pauses leaves no older one behind. */
  private due: { cancel(): void } | null = null;
  private readonly deltas: JoinedDelta;

  constructor(
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly sessionId: string,
    private readonly turnId: string,
    private readonly onTrouble: (error: unknown) => void,
  ) {
    this.deltas = new JoinedDelta((delta) => {
      this.showDelta(delta);
    }, onTrouble);
  }

  startRow(messageId: string, turnIndex: number, model: string): void {
    this.deltas.flush();
    const createdAt = rfc3339(this.clock.now());
    this.preview = {
      turn_id: this.turnId,
      message_id: messageId,
      turn_index: turnIndex,
      created_at: createdAt,
      model,
      content: [],
      last_live_sequence: 0,
      updated_at: createdAt,
    };
    this.signal({ type: 'row_started', message_id: messageId, turn_index: turnIndex, created_at: createdAt, model });
  }

  /** Passes one model event on; text at the latest when the turn of the loop ends. */
  show(event: ModelEvent): void {
    const { preview } = this;
    if (!preview || event.type === 'done') return;
    const at = { message_id: preview.message_id, turn_index: preview.turn_index, content_index: event.index };
    switch (event.type) {
      case 'block_start': {
        const block = openedBlock(event.block);
        this.deltas.flush();
        preview.content[event.index] = block;
        this.signal({ type: 'block_opened', ...at, block: { ...block } });
        return;
      }
      case 'text_delta':
        this.grow(preview, event.index, 'text', event.text);
        return;
      case 'thinking_delta':
        this.grow(preview, event.index, 'thinking', event.thinking);
        return;
      case 'block_stop': {
        const block = event.block as unknown as Block;
        this.deltas.flush();
        preview.content[event.index] = block;
        this.signal({ type: 'block_closed', ...at, block });
        this.keepPreview();
      }
    }
  }

  /** The call is tried again. */
  discardRow(): void {
    if (!this.preview) return;
    const { message_id, turn_index } = this.preview;
    this.signal({ type: 'row_discarded', message_id, turn_index });
    this.preview = null;
  }

  /** The row was committed, or never will be. */
  endRow(): void {
    this.deltas.flush();
    const shown = this.previewedAt !== Number.NEGATIVE_INFINITY;
    this.due?.cancel();
    this.due = null;
    this.preview = null;
    this.previewedAt = Number.NEGATIVE_INFINITY;
    if (shown) this.bus.dropPreview(previewKey(this.sessionId)).catch(this.onTrouble);
  }

  /** Shows how far a call is, also to viewers who come later; the caller ends it. */
  progressOf(shown: ShownCall, { delivery_id: deliveryId, input }: ToolCall): CallProgress {
    const key = progressKey(this.sessionId);
    // a larger input is not repeated with each report
    const small = Buffer.byteLength(JSON.stringify(input)) <= progressBytesMax;
    return new CallProgress(this.clock, (progress) => {
      const signal = this.signal({ type: 'tool_call', ...shown, ...(small ? { input } : {}), progress });
      const kept = progress
        ? this.bus.setPreview(key, deliveryId, JSON.stringify(signal), previewTtlMs)
        : this.bus.dropPreview(key, deliveryId);
      kept.catch(this.onTrouble);
    });
  }

  signal(signal: Signal): LiveSignal {
    this.deltas.flush();
    this.liveSequence = Math.max(this.liveSequence, liveSequenceAt(this.clock.now(), 'first')) + 1;
    if (this.preview) this.preview.last_live_sequence = this.liveSequence;
    const message: LiveSignal = {
      ...signal,
      turn_id: this.turnId,
      live_sequence: this.liveSequence,
      emitted_at: rfc3339(this.clock.now()),
    };
    liveChannel.publish(this.bus, this.sessionId, message);
    return message;
  }

  private grow(preview: LivePreview, contentIndex: number, member: 'text' | 'thinking', text: string): void {
    const block = preview.content[contentIndex] as Block & Record<typeof member, string>;
    this.deltas.add({ contentIndex, member, offset: block[member].length, text });
    block[member] += text;
  }

  private showDelta({ contentIndex, member, offset, text }: Delta): void {
    const { preview } = this;
    if (!preview) return;
    this.signal({
      type: 'delta',
      message_id: preview.message_id,
      turn_index: preview.turn_index,
      content_index: contentIndex,
      offset,
      ...(member === 'text' ? { text } : { thinking: text }),
      delta_sequence: this.deltaSequence++,
      model: preview.model,
    });
    this.keepPreview();
  }

  private keepPreview(): void {
    if (this.due) return;
    const waitMs = this.previewedAt + previewEveryMs - this.clock.monotonic();
    if (waitMs <= 0) this.writePreview();
    else
      this.due = this.clock.after(waitMs, () => {
        this.deltas.flush(); // the preview says up to which signal it goes
        this.due = null;
        this.writePreview();
      });
  }

  private writePreview(): void {
    if (!this.preview) return;
    this.previewedAt = this.clock.monotonic();
    this.preview.updated_at = rfc3339(this.clock.now());
    this.bus
      .setPreview(previewKey(this.sessionId), this.turnId, JSON.stringify(this.preview), previewTtlMs)
      .catch(this.onTrouble);
  }
}

function openedBlock(
  block: { type: 'text' } | { type: 'thinking' } | { type: 'tool_use'; id: string; name: string },
): Block {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '' };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {}, status: 'pending' };
  }
}
