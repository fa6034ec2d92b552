import type { Clock, LiveBus } from '@aos/kernel';
import { PacedNewest, progressEveryMs, progressKey, type LiveSignal } from '@aos/sessions/published';
import type { SessionFacts } from './session-facts.js';

export type ToolCallSignal = Extract<LiveSignal, { type: 'tool_call' }>;

interface Call {
  /** As viewers were shown it. */
  shown: ToolCallSignal | null;
  newest: ToolCallSignal;
  paced: PacedNewest<ToolCallSignal>;
}

export interface LiveProgressOptions {
  /** As of the head. */
  facts: SessionFacts;
  clock: Clock;
  /** Shows a signal to those who are there. */
  tell: (signal: ToolCallSignal) => void;
  onTrouble: (error: unknown) => void;
}

/**
 * How far the calls are that are under way, as the viewers of this process are shown it (rule TE80).
 *
 * Promises: a viewer is shown at most 4 a second of a call, however many processes report it, always the newest; who
 *           joins late is shown what the others see.
 */
export class LiveProgress {
  private readonly calls = new Map<string, Call>();

  constructor(private readonly options: LiveProgressOptions) {}

  /** Takes a signal whose call was read from the log. Null clears; a signal without progress changes nothing. */
  take(signal: ToolCallSignal): void {
    if (signal.progress) {
      if (this.isOpen(signal)) this.offer(signal);
      return;
    }
    if (signal.progress === null) this.forget(signal.tool_call_id);
    this.options.tell(signal);
  }

  /** Takes what the bus kept; nothing that is older than what came since. */
  takeKept(signal: ToolCallSignal): void {
    const known = this.calls.get(signal.tool_call_id);
    if (!known || isNewer(signal, known.newest)) this.take(signal);
  }

  /** Reads what was said before this process listened; none when the bus does not answer. */
  async read(bus: LiveBus, sessionId: string): Promise<ToolCallSignal[]> {
    try {
      const kept = await bus.preview(progressKey(sessionId));
      return [...kept.values()].map((text) => JSON.parse(text) as ToolCallSignal);
    } catch (error) {
      this.options.onTrouble(error);
      return [];
    }
  }

  /** What viewers see of the calls that are open. */
  shown(): ToolCallSignal[] {
    return [...this.calls.values()].flatMap(({ shown }) => (shown && this.isOpen(shown) ? [shown] : []));
  }

  /** The log went on: nothing more is shown of calls that have ended. */
  committed(): void {
    for (const [id, { newest }] of this.calls) if (!this.isOpen(newest)) this.forget(id);
  }

  close(): void {
    for (const id of [...this.calls.keys()]) this.forget(id);
  }

  private offer(signal: ToolCallSignal): void {
    const known = this.calls.get(signal.tool_call_id);
    if (known && !isNewer(signal, known.newest)) return; // said again, or late
    const call = known ?? this.begin(signal);
    call.newest = signal;
    call.paced.offer(signal);
  }

  private begin(signal: ToolCallSignal): Call {
    const { clock, tell } = this.options;
    const paced = new PacedNewest<ToolCallSignal>(clock, progressEveryMs, (newest) => {
      call.shown = newest;
      tell(newest);
    });
    const call: Call = { shown: null, newest: signal, paced };
    this.calls.set(signal.tool_call_id, call);
    return call;
  }

  private forget(id: string): void {
    this.calls.get(id)?.paced.stop();
    this.calls.delete(id);
  }

  private isOpen({ turn_id: turnId, tool_call_id: id }: ToolCallSignal): boolean {
    return this.options.facts.open.get(turnId ?? '')?.calls.has(id) ?? false;
  }
}

/** A process may say later than another one what was reported to it before. */
function isNewer(signal: ToolCallSignal, known: ToolCallSignal): boolean {
  const laterMs = (signal.reported_at ?? 0) - (known.reported_at ?? 0);
  if (signal.reported_at !== undefined && known.reported_at !== undefined && laterMs !== 0) return laterMs > 0;
  return signal.live_sequence > known.live_sequence;
}
