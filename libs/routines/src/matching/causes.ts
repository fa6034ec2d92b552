import { Injectable } from '@nestjs/common';
import { GenerationalCache, type EventMeta } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import type { SourceEvent } from '@aos/events/published';
import { RoutineTurns } from '@aos/sessions/published';
import { occurrenceKind } from '../occurrence/occurrence.state.js';

const keptMax = 2000;
const none: readonly string[] = [];

/** Which routines' runs brought an event about. */
@Injectable()
export class Causes {
  /** Turn or run -> routines: a turn's run never changes. */
  private readonly kept = new GenerationalCache<readonly string[]>(keptMax);

  constructor(
    private readonly decisions: Decisions,
    private readonly turns: RoutineTurns,
  ) {}

  /**
   * Follows an event to the turn in which it happened (the row's own, or that of the tool call: both are in the
   * record), to the run, and to what led to that.
   *
   * Gives    routines, oldest first; none for what no run did.
   */
  async of({ orgId, envelope }: SourceEvent, meta: EventMeta): Promise<readonly string[]> {
    const named = [
      envelope.source_kind === 'session' ? envelope.event.turn_id : null,
      meta.correlation_id,
      meta.request_id,
    ];
    for (const name of named) {
      if (typeof name !== 'string' || !/^(?:turn|occ)_/.test(name)) continue;
      const chain = await this.chainOf(orgId, name);
      if (chain.length > 0) return chain;
    }
    return none;
  }

  private async chainOf(orgId: string, name: string): Promise<readonly string[]> {
    const key = `${orgId} ${name}`;
    const known = this.kept.get(key);
    if (known) return known;
    const id = name.startsWith('occ_') ? name : await this.turns.occurrenceOf(orgId, name);
    const { occurrence } = id === null ? { occurrence: null } : (await this.decisions.load(occurrenceKind, id)).state;
    const chain = occurrence?.org_id === orgId ? [...occurrence.chain, occurrence.routine_id] : none;
    this.kept.set(key, chain);
    return chain;
  }
}
