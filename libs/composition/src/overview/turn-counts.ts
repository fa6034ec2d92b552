import { Injectable } from '@nestjs/common';
import { Clock, type AnyEvent } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { minuteOf, minutesKept, spanOf, sumOf, type Minute, type Minutes } from './minute-counts.js';

/** Organizations that are counted; of more the one whose last count is oldest is forgotten. */
const organizationsMax = 1_000;

interface Turn {
  created_at: string;
  completed_at?: string;
}

/** Turns and tokens of the last hour, by organization, as this process recorded them. */
@Injectable()
export class TurnCounts {
  private readonly counted = new Map<string, Map<number, Minute>>();
  private changed = new Set<string>();
  /** The organization that was counted last: most are counted several times in a row. */
  private last = '';

  constructor(
    decisions: Decisions,
    private readonly clock: Clock,
  ) {
    decisions.observe({
      recorded: (category, events, orgId) => {
        if (category === 'session') for (const event of events) this.count(orgId, event);
      },
      conflicted: () => undefined,
    });
  }

  /** What this process counted of an organization in the minutes that are kept. */
  of(orgId: string): Minutes {
    const first = minuteOf(this.clock.now()) - minutesKept + 1;
    const kept = [...(this.counted.get(orgId) ?? [])].filter(([minute]) => minute >= first);
    return Object.fromEntries(kept);
  }

  /** The organizations that something was counted of since this was asked last. */
  takeChanged(): string[] {
    const changed = [...this.changed];
    this.changed = new Set();
    return changed;
  }

  /** Something of these organizations was not noted: they are given again. */
  giveBack(orgIds: readonly string[]): void {
    for (const orgId of orgIds) if (this.counted.has(orgId)) this.changed.add(orgId);
  }

  private count(orgId: string, { type, data }: AnyEvent): void {
    if (type === 'ModelAnswered') {
      const { usage } = data as { usage: { input_tokens?: number; output_tokens?: number } };
      const minute = this.minute(orgId);
      minute.input += usage.input_tokens ?? 0;
      minute.output += usage.output_tokens ?? 0;
    } else if (type === 'TurnCompleted' || type === 'TurnFailed' || type === 'TurnCancelled') {
      const minute = this.minute(orgId);
      minute.turns += 1;
      if (type === 'TurnFailed') minute.failed += 1;
      const { created_at, completed_at = '' } = (data as { turn: Turn }).turn;
      const ms = Date.parse(completed_at) - Date.parse(created_at);
      if (type === 'TurnCancelled' || !(ms >= 0)) return;
      const span = spanOf(ms);
      minute.spans[span] = (minute.spans[span] ?? 0) + 1;
    }
  }

  private minute(orgId: string): Minute {
    const now = minuteOf(this.clock.now());
    const minutes = this.counted.get(orgId) ?? new Map<number, Minute>();
    if (orgId !== this.last) {
      this.counted.delete(orgId);
      this.counted.set(orgId, minutes); // last counted, last forgotten
      this.last = orgId;
    }
    this.changed.add(orgId);
    let minute = minutes.get(now);
    if (minute) return minute;
    minute = sumOf([]);
    minutes.set(now, minute);
    for (const old of minutes.keys()) if (old <= now - minutesKept) minutes.delete(old);
    this.forgetOldest();
    return minute;
  }

  private forgetOldest(): void {
    for (const orgId of this.counted.keys()) {
      if (this.counted.size <= organizationsMax) return;
      this.counted.delete(orgId);
      this.changed.delete(orgId);
    }
  }
}
