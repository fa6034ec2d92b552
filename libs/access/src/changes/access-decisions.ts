import { Injectable } from '@nestjs/common';
import { StoreUnavailable, type AnyEvent, type StreamKind } from '@aos/kernel';
import { Decisions, type Actor, type DecideOptions, type Decided, type Loaded } from '@aos/platform';
import { AccessChanges } from './access-changes.js';

/**
 * The write path of this context: gateways know each change of a key, a principal or a role before its writer is
 * answered.
 */
@Injectable()
export class AccessDecisions {
  constructor(
    private readonly decisions: Decisions,
    private readonly changes: AccessChanges,
  ) {}

  async run<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    id: string,
    actor: Actor,
    decide: (state: S, revision: number) => readonly E[],
    options: DecideOptions = {},
  ): Promise<Decided<S, E>> {
    try {
      const decided = await this.decisions.run(kind, id, actor, decide, options);
      if (decided.events.length > 0) await this.changes.announce(actor.orgId);
      return decided;
    } catch (error) {
      // the outcome is unknown: the change may have been written
      if (error instanceof StoreUnavailable) await this.changes.announce(actor.orgId);
      throw error;
    }
  }

  load<S, E extends AnyEvent>(kind: StreamKind<S, E>, id: string): Promise<Loaded<S>> {
    return this.decisions.load(kind, id);
  }

  forget(kind: { category: string }, id: string): void {
    this.decisions.forget(kind, id);
  }
}
