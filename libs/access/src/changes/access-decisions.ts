import { Injectable } from '@nestjs/common';
import { StoreUnavailable, type AnyEvent, type DeciderEntry, type StreamKind } from '@aos/kernel';
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

  async decide<S, E extends AnyEvent, C>(
    entry: DeciderEntry<S, E, C>,
    id: string,
    actor: Actor,
    command: C,
    options: DecideOptions = {},
  ): Promise<Decided<S, E>> {
    try {
      const decided = await this.decisions.decide(entry, id, actor, command, options);
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
