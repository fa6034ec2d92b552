import type { LiveBus } from '@aos/kernel';
import { progressKey, type LiveSignal } from '@aos/sessions/published';
import type { SessionFacts } from './session-facts.js';

export type ToolCallSignal = Extract<LiveSignal, { type: 'tool_call' }>;

/** The newest progress of each call that is under way, for viewers who join late (rule TE80). */
export class LiveProgress {
  private readonly newest = new Map<string, ToolCallSignal>();

  /** Keeps what a signal says; null clears it. A signal without progress changes nothing. */
  note(signal: ToolCallSignal): void {
    if (signal.progress) this.newest.set(signal.tool_call_id, signal);
    else if (signal.progress === null) this.newest.delete(signal.tool_call_id);
  }

  /** What is known of calls that are open; the rest is forgotten. */
  shown({ open }: SessionFacts): ToolCallSignal[] {
    for (const [id, { turn_id: turnId }] of this.newest)
      if (!open.get(turnId ?? '')?.calls.has(id)) this.newest.delete(id);
    return [...this.newest.values()];
  }

  /** Reads what was shown before this process listened; gives what is newer than what it knows. */
  async read(bus: LiveBus, sessionId: string): Promise<ToolCallSignal[]> {
    const kept = [...(await bus.preview(progressKey(sessionId))).values()].map(
      (text) => JSON.parse(text) as ToolCallSignal,
    );
    return kept.filter((signal) => signal.live_sequence > (this.newest.get(signal.tool_call_id)?.live_sequence ?? -1));
  }
}
