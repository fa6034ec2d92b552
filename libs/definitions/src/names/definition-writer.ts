import { Injectable } from '@nestjs/common';
import { Refusal, StoreUnavailable, notFound, requireName, type Identity } from '@aos/kernel';
import { actorOf } from '@aos/platform';
import { Claims, type PendingCreate } from './claims.js';
import { canSee } from '../definition/custody.decide.js';
import type { DefinitionRecord, Named } from '../definition/definition.events.js';
import type { DefinitionEntry } from '../definition/definition.decider.js';
import type { DefinitionEvent, DefinitionKind } from '../definition/definition.state.js';
import { DefinitionStreams, type Latest } from '../definition/definition-streams.js';

/**
 * Attempts of one write. Each round of a race lets one writer through, so this many may race before the last gives up.
 */
const redecideMax = 64;

/** Creates, changes and deletes definitions together with their names: the one way for the API and for blueprints. */
@Injectable()
export class DefinitionWriter {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
  ) {}

  /**
   * As `Claims.create`: a resource under a free name, or the refusal; bad_request for a name that does not fit (rule
   * G28). The binding of a blueprint may stand in the record. A refusal names the holder of a taken name only to
   * callers who can see it.
   */
  async create<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    who: Identity,
  ): Promise<{ record: DefinitionRecord<D>; created: boolean }> {
    requireName(record.wire.name);
    try {
      return await this.claims.create(kind, record, actorOf(who));
    } catch (error) {
      throw await this.sayable(kind, who, error);
    }
  }

  /** As `create`, up to the commit point: the rest may run while other creates start. */
  async begin<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    who: Identity,
  ): Promise<PendingCreate<D>> {
    requireName(record.wire.name);
    try {
      return await this.claims.begin(kind, record, actorOf(who));
    } catch (error) {
      throw await this.sayable(kind, who, error);
    }
  }

  /**
   * Decides a change on the newest record, large values put back, and writes it at exactly that revision; a new name or
   * outside identity is claimed first.
   *
   * Takes    an entry of the definition's decider and its command. Each event carries the whole record.
   * Gives    the record after, and whether something was written.
   * Refuses  not_found for an id without a resource of this organization; what the decide function refuses; bad_request
   *          for a new name that does not fit (rule G28); already_exists, external_identity_conflict from the claims.
   */
  async decide<D extends Named, E extends DefinitionEvent<D>, C>(
    entry: DefinitionEntry<D, E, C>,
    who: Identity,
    id: string,
    command: C,
  ): Promise<{ record: DefinitionRecord<D>; changed: boolean }> {
    const { kind } = entry;
    for (let attempt = 0; attempt < redecideMax; attempt += 1) {
      const current = await this.streams.latest(kind, who.orgId, id);
      if (!current) throw notFound(kind.category);
      const events = entry.decide(command, current, current.revision);
      const next = events.at(-1)?.data.record;
      if (!next) return { record: current.record, changed: false };
      await this.claimFor(kind, current, next, who);
      if (!(await this.streams.writeAt(kind, id, actorOf(who), current.revision, events))) continue;
      if (next.wire.name !== current.record.wire.name || next.deleted_at !== null) {
        await this.claims.release(kind, next, current.record.wire.name, actorOf(who));
      }
      return { record: next, changed: true };
    }
    throw new StoreUnavailable(`${kind.category} ${id} changes again and again`);
  }

  /** As `decide`, for the service's own upkeep: a missing or deleted resource is left alone. */
  async decideIfLive<D extends Named, E extends DefinitionEvent<D>, C>(
    entry: DefinitionEntry<D, E, C>,
    who: Identity,
    id: string,
    command: C,
  ): Promise<void> {
    try {
      await this.decide(entry, who, id, command);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    }
  }

  private async claimFor<D extends Named>(
    kind: DefinitionKind<D>,
    current: Latest<D>,
    next: DefinitionRecord<D>,
    who: Identity,
  ): Promise<void> {
    const { record } = current;
    if (next.wire.name !== record.wire.name) requireName(next.wire.name);
    const actor = actorOf(who);
    const taken = next.wire.external_ref === record.wire.external_ref ? undefined : next.wire.external_ref;
    if (taken !== undefined) await this.claims.claimRef(kind, record, taken, actor);
    if (next.wire.name === record.wire.name) return;
    try {
      await this.claims.claimRename(kind, current, next.wire.name, actor);
    } catch (error) {
      if (taken !== undefined && error instanceof Refusal) await this.claims.releaseRef(kind, record, taken, actor);
      throw await this.sayable(kind, who, error);
    }
  }

  /** The refusal without the id of a resource that is out of the caller's reach (rule G13). */
  private async sayable<D extends Named>(kind: DefinitionKind<D>, who: Identity, error: unknown): Promise<unknown> {
    if (!(error instanceof Refusal) || typeof error.details.resource_id !== 'string') return error;
    const holder = await this.streams.latest(kind, who.orgId, error.details.resource_id);
    return holder && canSee(holder.record, who) ? error : new Refusal(error.code, {}, error.message);
  }
}
