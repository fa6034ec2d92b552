import { Inject, Injectable } from '@nestjs/common';
import type { Reply, Schema } from '@aos/contract';
import { Clock, rfc3339, type Identity } from '@aos/kernel';
import { InteractionQueries } from '@aos/interactions/published';
import { minuteMs, minuteOf, minutesKept, quantile, sumOf, type Minutes } from './minute-counts.js';
import type { ProcessState } from './own-state.js';
import { ProcessNotes } from './process-notes.js';

/** The services that a fleet has; one process alone expects none besides. */
export class ExpectedServices {
  constructor(readonly names: readonly string[]) {}
}

/** What goes on now, over all processes (rule CO2). */
@Injectable()
export class OverviewQueries {
  constructor(
    private readonly interactions: InteractionQueries,
    private readonly notes: ProcessNotes,
    private readonly clock: Clock,
    @Inject(ExpectedServices) private readonly expected: ExpectedServices,
  ) {}

  async overview(who: Identity): Promise<Reply<'getOverview'>> {
    const waiting_questions = await this.interactions.waitingFor(who);
    if (!who.permissions.has('svc.org.admin')) return { waiting_questions };
    const [counts, states] = await Promise.all([this.notes.countsOf(who.orgId), this.notes.states()]);
    return {
      waiting_questions,
      minutes: lastMinutes(counts, this.clock.now()),
      not_ready: notReady(states, this.expected.names),
      lag: largestLags(states),
    };
  }
}

function lastMinutes(counts: readonly Minutes[], now: number): Schema<'OverviewMinute'>[] {
  const last = minuteOf(now);
  return Array.from({ length: minutesKept }, (_, n) => {
    const minute = last - minutesKept + 1 + n;
    const { turns, failed, input, output, spans } = sumOf(counts.flatMap((each) => each[minute] ?? []));
    return {
      at: rfc3339(minute * minuteMs),
      turns,
      failed,
      input_tokens: input,
      output_tokens: output,
      p50_ms: quantile(spans, 0.5),
      p95_ms: quantile(spans, 0.95),
    };
  });
}

/** Several replicas of a service are named once. */
function notReady(states: readonly ProcessState[], expected: readonly string[]): string[] {
  const faults = states.flatMap(({ service, notReady: names }) => names.map((name) => `${service}: ${name}`));
  const silent = expected.filter((name) => states.every(({ service }) => service !== name));
  return [...new Set([...faults, ...silent.map((name) => `${name}: silent`)])].sort();
}

/** Only the replica that projects or relays is behind. */
function largestLags(states: readonly ProcessState[]): Schema<'OverviewLag'>[] {
  const largest: Record<string, number> = {};
  for (const { lag } of states)
    for (const [name, ms] of Object.entries(lag)) largest[name] = Math.max(largest[name] ?? 0, Math.round(ms));
  return Object.entries(largest)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, ms]) => ({ name, ms }));
}
