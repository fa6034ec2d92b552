import { jsonBytes, rfc3339, type Clock, type LiveBus, type ModelEvent } from '@aos/kernel';
import type { Block, ToolCall } from '../session/session.events.js';
import type { Audience } from './audience.js';
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

/** The newest progress of a call. */
interface Progress {
  signal: Signal;
  /** Where it is kept: another process may keep what it says of the call beside it. */
  field: string;
  /** Until when it is kept for who comes later (monotonic time); 0 while it is said to no one, or the bus did not. */
  keptUntil: number;
  /** The bus has this one, or one before it. */
  isKept: boolean;
}

/** Signals kept until it is known whether someone follows; with more, a viewer begins with the preview. */
const heldMax = 64;

/**
 * Shows a turn's unfinished row as it grows, to an audience (rule TP30). Everything here may be lost: what is committed
 * goes another way.
 *
 * Promises: nothing is published while no one follows. Who comes gets everything that was held back: from the preview
 *           as it then stands, and by the signals behind it.
 */
export class LivePublisher {
  private liveSequence = 0;
  private deltaSequence = 0;
  private preview: LivePreview | null = null;
  /** When the next preview may be written. */
  private previewFrom = Number.NEGATIVE_INFINITY;
  private isPreviewKept = false;
  /** What there was to show before the audience was known; null: it is known, or more was not published. */
  private held: LiveSignal[] | null = [];
  /** The newest progress of each call that is under way, by delivery. */
  private readonly progress = new Map<string, Progress>();
  /** The newest state is written at the latest when this fires: a model that pauses leaves no older one behind. */
  private due: { cancel(): void } | null = null;
  private readonly deltas: JoinedDelta;

  constructor(
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    private readonly sessionId: string,
    private readonly turnId: string,
    private readonly audience: Audience,
    private readonly onTrouble: (error: unknown) => void,
  ) {
    audience.onNews(() => {
      if (audience.isPresent) this.begin();
      else this.held = null;
    });
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
    if (!this.audience.isPresent) this.previewFrom = this.clock.monotonic() + previewEveryMs;
    this.signal(startOf(this.preview));
  }

  /** Passes one model event on; text at the latest when the turn of the loop ends. */
  show(event: ModelEvent): void {
    const { preview } = this;
    if (!preview || event.type === 'done') return;
    switch (event.type) {
      case 'block_start': {
        const block = openedBlock(event.block);
        this.deltas.flush();
        preview.content[event.index] = block;
        this.signal({ type: 'block_opened', ...placeIn(preview, event.index), block: { ...block } });
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
        this.signal({ type: 'block_closed', ...placeIn(preview, event.index), block });
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
    this.dropPreview(); // who comes now would take it for the beginning of the next try
  }

  /** The row was committed, or never will be. */
  endRow(): void {
    this.deltas.flush();
    this.due?.cancel();
    this.due = null;
    this.preview = null;
    this.previewFrom = Number.NEGATIVE_INFINITY;
    this.dropPreview();
  }

  /** Shows how far a call is, also to viewers who come later; the caller ends it. */
  progressOf(shown: ShownCall, { delivery_id: deliveryId, input }: ToolCall): CallProgress {
    // a larger input is not repeated with each report
    const small = jsonBytes(input) <= progressBytesMax;
    const field = `${deliveryId}@${this.clock.now()}`;
    return new CallProgress(this.clock, (progress, reportedAt) => {
      const signal: Signal = { type: 'tool_call', ...shown, ...(small ? { input } : {}), progress };
      const isKept = this.progress.get(deliveryId)?.isKept ?? false;
      if (progress) {
        this.progress.set(deliveryId, { signal: { ...signal, reported_at: reportedAt }, field, keptUntil: 0, isKept });
        this.sayProgress(deliveryId);
        return;
      }
      this.signal(signal);
      this.progress.delete(deliveryId);
      if (isKept) this.bus.dropPreview(progressKey(this.sessionId), field).catch(this.onTrouble);
    });
  }

  /** Says it, unless no one follows. */
  signal(signal: Signal): void {
    const message = this.numbered(signal);
    if (message) this.say(message);
  }

  /** Null while no one follows. */
  private numbered(signal: Signal): LiveSignal | null {
    this.deltas.flush();
    const now = this.clock.now();
    this.liveSequence = Math.max(this.liveSequence, liveSequenceAt(now, 'first')) + 1;
    if (this.preview) this.preview.last_live_sequence = this.liveSequence;
    if (this.audience.isAbsent) return null;
    return { ...signal, turn_id: this.turnId, live_sequence: this.liveSequence, emitted_at: rfc3339(now) };
  }

  private say(message: LiveSignal): void {
    if (this.audience.isPresent) liveChannel.publish(this.bus, this.sessionId, message);
    else if (this.held && this.held.push(message) > heldMax) this.held = null;
  }

  /** A viewer came: says what was held, or writes down how it stands and says where that ends. */
  private begin(): void {
    const { held } = this;
    this.held = null;
    for (const message of held ?? []) liveChannel.publish(this.bus, this.sessionId, message);
    this.deltas.flush();
    this.writePreview();
    for (const [deliveryId, { keptUntil }] of this.progress)
      if (keptUntil <= this.clock.monotonic()) this.sayProgress(deliveryId);
    if (!held) this.sayEnd();
  }

  /** Leads those who know less than the preview to it. */
  private sayEnd(): void {
    if (this.preview) this.signal(endOf(this.preview, this.deltaSequence));
  }

  /** Says the newest progress of a call, and keeps it first: who comes between the two finds it. */
  private sayProgress(deliveryId: string): void {
    const progress = this.progress.get(deliveryId);
    const message = progress && this.audience.isPresent ? this.numbered(progress.signal) : null;
    if (!progress || !message) return;
    progress.keptUntil = this.clock.monotonic() + previewTtlMs;
    progress.isKept = true;
    this.bus
      .setPreview(progressKey(this.sessionId), progress.field, JSON.stringify(message), previewTtlMs)
      .catch((error: unknown) => {
        progress.keptUntil = 0; // said again to who comes when the bus is back
        this.onTrouble(error);
      });
    this.say(message);
  }

  private grow(preview: LivePreview, contentIndex: number, member: 'text' | 'thinking', text: string): void {
    const block = preview.content[contentIndex] as Block & Record<typeof member, string>;
    if (!this.audience.isAbsent) this.deltas.add({ contentIndex, member, offset: block[member].length, text });
    block[member] += text;
    if (this.audience.isAbsent) this.keepPreview();
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
    const waitMs = this.previewFrom - this.clock.monotonic();
    if (waitMs <= 0) this.writePreview();
    else
      this.due = this.clock.after(waitMs, () => {
        this.deltas.flush(); // the preview says up to which signal it goes
        this.due = null;
        this.writePreview();
        this.sayEnd(); // to a viewer who began with the preview before, behind the signals since
      });
  }

  private dropPreview(): void {
    if (this.isPreviewKept) this.bus.dropPreview(previewKey(this.sessionId)).catch(this.onTrouble);
    this.isPreviewKept = false;
  }

  private writePreview(): void {
    if (!this.preview) return;
    this.previewFrom = this.clock.monotonic() + previewEveryMs;
    this.isPreviewKept = true;
    this.preview.updated_at = rfc3339(this.clock.now());
    this.bus
      .setPreview(previewKey(this.sessionId), this.turnId, JSON.stringify(this.preview), previewTtlMs)
      .catch(this.onTrouble);
  }
}

function placeIn({ message_id, turn_index }: LivePreview, content_index: number) {
  return { message_id, turn_index, content_index };
}

function startOf({ message_id, turn_index, created_at, model }: LivePreview): Signal {
  return { type: 'row_started', message_id, turn_index, created_at, model };
}

/** Adds nothing: who knows less of the row than this finds that something is missing, and reads the preview. */
function endOf(preview: LivePreview, deltaSequence: number): Signal {
  const { message_id, turn_index, model, content } = preview;
  const block = content.at(-1);
  if (!block) return startOf(preview);
  const at = { message_id, turn_index, content_index: content.length - 1 };
  const end = { type: 'delta' as const, ...at, delta_sequence: deltaSequence, model };
  if (typeof block.text === 'string') return { ...end, offset: block.text.length, text: '' };
  if (typeof block.thinking === 'string') return { ...end, offset: block.thinking.length, thinking: '' };
  return { type: 'block_opened', ...at, block };
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
