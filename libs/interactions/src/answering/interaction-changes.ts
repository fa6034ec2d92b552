import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { Clock, Ids, rfc3339, type DeciderEntry, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import type { Closing } from '../callbacks/callbacks.decide.js';
import type { InteractionEvent } from '../interaction/interaction.events.js';
import type { InteractionState } from '../interaction/interaction.state.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import type { Participant } from './answering.decide.js';

/** Part of each command that may end an interaction. */
type Closed = Closing & { by: Participant };

/** Changes that may end an interaction, for callers that may see it; each gives the record as it is then. */
@Injectable()
export class InteractionChanges {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: InteractionDirectory,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Takes a command without who decides, when, and the id of the callback should one be owed. */
  async decide<C>(
    entry: DeciderEntry<InteractionState, InteractionEvent, NoInfer<C> & Closed>,
    interactionId: string,
    who: Identity,
    command: C,
  ): Promise<Schema<'Interaction'>> {
    const closed = { by: participantOf(who), now: rfc3339(this.clock.now()), callbackId: `dlv_${this.ids.ulid()}` };
    const { state } = await this.decisions.decide(entry, interactionId, actorOf(who), { ...command, ...closed });
    return interactionWire(await this.directory.whole(state), who);
  }
}

export function participantOf({ principalId, kind, permissions }: Identity): Participant {
  return { principalId, kind, isAdmin: permissions.has('svc.org.admin') };
}
