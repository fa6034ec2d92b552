import { Injectable } from '@nestjs/common';
import { Refusal, StoreUnavailable, notFound } from '@aos/kernel';
import type { Act } from '@aos/platform';
import { Claims } from '../names/claims.js';
import type { DefinitionRecord, Named } from './definition.events.js';
import type { DefinitionEvent, DefinitionKind } from './definition.state.js';
import { DefinitionStreams, type Latest } from './definition-streams.js';

const redecideMax = 8;

/** Creates, changes and deletes definitions together with their names: the one way for the API and for blueprints. */
@Injectable()
export class DefinitionWriter {
  constructor(private readonly streams: DefinitionStreams, private readonly claims: Claims) {}

  /** As `Claims.create`: a resource under a free name, or the refusal. The binding of a blueprint may stand in the record. */
  create<D extends Named>(kind: DefinitionKind<D>, record: DefinitionRecord<D>, act: Act): Promise<{ record: DefinitionRecord<D>; created: boolean }> {
    return this.claims.create(kind, record, act);
  }

  /**
   * Decides a change on the newest record and writes it at exactly that revision; a new name or outside identity is claimed first.
   *
   * Takes    a pure function from the live record to events; `[]` when nothing is to change. Each event carries the whole record.
   * Gives    the record after, and whether something was written.
   * Refuses  not_found for an unknown or deleted id; what the function refuses; already_exists, external_identity_conflict from the claims.
   */
  async change<D extends Named, E extends DefinitionEvent<D>>(
    kind: DefinitionKind<D, E>, orgId: string, id: string, act: Act, decide: (record: DefinitionRecord<D>) => readonly E[],
  ): Promise<{ record: DefinitionRecord<D>; changed: boolean }> {
    for (let attempt = 0; attempt < redecideMax; attempt += 1) {
      const current = await this.streams.latest(kind, orgId, id);
      if (!current || current.record.deleted_at !== null) throw notFound();
      const events = decide(current.record);
      const next = events.at(-1)?.data.record;
      if (!next) return { record: current.record, changed: false };
      await this.claimFor(kind, current, next, act);
      if (!(await this.streams.writeAt(kind, id, act, current.revision, events))) continue;
      if (next.wire.name !== current.record.wire.name || next.deleted_at !== null) {
        await this.claims.release(kind, next, current.record.wire.name, act);
      }
      return { record: next, changed: true };
    }
    throw new StoreUnavailable(`${kind.category} ${id} changes again and again`);
  }

  private async claimFor<D extends Named>(kind: DefinitionKind<D>, current: Latest<D>, next: DefinitionRecord<D>, act: Act): Promise<void> {
    const { record } = current;
    const taken = next.wire.external_ref === record.wire.external_ref ? undefined : next.wire.external_ref;
    if (taken !== undefined) await this.claims.claimRef(kind, record, taken, act);
    if (next.wire.name === record.wire.name) return;
    try {
      await this.claims.claimRename(kind, current, next.wire.name, act);
    } catch (error) {
      if (taken !== undefined && error instanceof Refusal) await this.claims.releaseRef(kind, record, taken, act);
      throw error;
    }
  }
}
