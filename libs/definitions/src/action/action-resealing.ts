import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, EventStore, StoreUnavailable } from '@aos/kernel';
import {
  CommandHandlers,
  SealBroken,
  Sealer,
  requireOperator,
  resealCommands,
  resealStreams,
  serviceActor,
  type Resealed,
} from '@aos/platform';
import { DefinitionStreams } from '../definition/definition-streams.js';
import type { ActionEvent, SealedSecret } from './action.events.js';
import { actionKind, secretOwner, type ActionRecord } from './action.state.js';

const triesMax = 64;

/**
 * Returns the record with its secrets sealed under the active master key. The record stays the same when they already
 * are, or when they cannot be opened any more.
 */
export function freshlySealed(sealer: Sealer, record: ActionRecord): ActionRecord {
  const { signing } = record.wire;
  if (!signing) return record;
  const again = <S extends SealedSecret>(secret: S): S => {
    try {
      return {
        ...secret,
        sealed: sealer.renewed(secret.sealed, secretOwner(record.org_id, record.id, secret.version)),
      };
    } catch (error) {
      if (error instanceof SealBroken) return secret;
      throw error;
    }
  };
  const next = { ...again(signing), previous: signing.previous && again(signing.previous) };
  if (next.sealed === signing.sealed && next.previous?.sealed === signing.previous?.sealed) return record;
  return { ...record, wire: { ...record.wire, signing: next } };
}

/** As `freshlySealed`, for a change that is about to be written. */
export function withFreshSeals(sealer: Sealer, events: readonly ActionEvent[]): ActionEvent[] {
  return events.map((event) => ({ ...event, data: { record: freshlySealed(sealer, event.data.record) } }));
}

/** Seals the secrets of actions anew when an operator asks for it. */
@Injectable()
export class ActionResealing implements OnModuleInit {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly sealer: Sealer,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly handlers: CommandHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(resealCommands[0], ({ identity, payload }) => {
      requireOperator(identity);
      const { store, clock } = this;
      return resealStreams(
        { store, clock },
        actionKind.category,
        typeof payload.after === 'string' ? payload.after : null,
        (id) => this.reseal(id),
      );
    });
  }

  private async reseal(id: string): Promise<Resealed> {
    const orgId = await this.streams.organizationOf(actionKind, id);
    for (let tried = 0; orgId !== null && tried < triesMax; tried += 1) {
      const current = await this.streams.latest(actionKind, orgId, id);
      const signing = current?.record.wire.signing;
      if (!current || !signing || current.record.deleted_at !== null) return 'fresh';
      const record = freshlySealed(this.sealer, current.record);
      if (record === current.record) return this.sealer.isStale(signing.sealed) ? 'unreadable' : 'fresh';
      const actor = serviceActor(orgId, 'operator', `reseal-${id}`);
      if (
        await this.streams.writeAt(actionKind, id, actor, current.revision, [
          { type: 'ActionSecretResealed', data: { record } },
        ])
      )
        return 'resealed';
    }
    if (orgId === null) return 'fresh';
    throw new StoreUnavailable(`action ${id} changes again and again`);
  }
}
