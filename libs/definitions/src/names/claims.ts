import { Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Refusal, StoreUnavailable, rfc3339, uuidFrom } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { AnyRecord, DefinitionRecord, Named } from '../definition/definition.events.js';
import type { DefinitionKind } from '../definition/definition.state.js';
import { DefinitionStreams, type Latest } from '../definition/definition-streams.js';
import { nameStanding, refStanding, releaseName, releaseRef } from './names.decide.js';
import type { ClaimActor, NameClaimed, RefClaimed } from './names.events.js';
import { nameKind, nameStreamId, refKind, refStreamId } from './names.state.js';

/** How often a claim is judged again before the request gives up: each time somebody else moved it. */
const judgedMax = 16;

/** A resource whose name is claimed: from then on it comes to be, whoever carries it out. */
export interface Begun<D> {
  /** False when a resource of this very id had the name before. */
  created: boolean;
  /** Carries the claim out. Gives the record as its stream has it. */
  finish(): Promise<DefinitionRecord<D>>;
}

/**
 * Unique names and outside identities of definitions (ARCHITECTURE.md section 3).
 *
 * The claim on the name's stream is the commit point. Whoever meets a claim that was not carried out carries it out first, under the name of
 * the one who claimed; there is no sweeper.
 */
@Injectable()
export class Claims {
  private readonly logger = new Logger('names');

  constructor(
    private readonly streams: DefinitionStreams,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Who bears a name among the live resources of a type.
   *
   * Gives    the resource and its revision; null when nobody does.
   */
  async named<D extends Named>(kind: DefinitionKind<D>, orgId: string, name: string): Promise<Latest<D> | null> {
    for (let judged = 0; judged < judgedMax; judged += 1) {
      const met = await this.meetName(kind, orgId, name);
      if (met.standing === 'borne') return met.holder;
      if (met.standing === 'free') return null;
    }
    throw new StoreUnavailable(`the name ${name} changes hands again and again`);
  }

  /**
   * As `named`, but writes nothing: for previews. A claim that was not carried out counts as carried out; a resource that is not written yet
   * has revision -1.
   */
  async peek<D extends Named>(kind: DefinitionKind<D>, orgId: string, name: string): Promise<Latest<D> | null> {
    const { state } = await this.streams.load(nameKind, nameStreamId(orgId, kind.category, name));
    const { held } = state;
    const holder = held ? await this.streams.latest(kind, orgId, held.resource_id) : null;
    const standing = nameStanding(state, holder as Latest<AnyRecord['wire']> | null);
    if (standing === 'free' || !held) return null;
    if (holder || held.claim.purpose === 'rename') return holder;
    return {
      record: await this.streams.hydrate(orgId, held.claim.record as unknown as DefinitionRecord<D>),
      revision: -1,
    };
  }

  /** Which resource bears an outside identity, deleted ones included; null when none does. */
  async bearer<D extends Named>(
    kind: DefinitionKind<D>,
    orgId: string,
    externalRef: string,
  ): Promise<Latest<D> | null> {
    for (let judged = 0; judged < judgedMax; judged += 1) {
      const met = await this.meetRef(kind, orgId, externalRef);
      if (met.standing === 'borne') return met.holder;
      if (met.standing === 'free') return null;
    }
    throw new StoreUnavailable(`the reference ${externalRef} changes hands again and again`);
  }

  /**
   * Makes a resource: claims its name with the whole record, then carries the claim out.
   *
   * Takes    a record at version 1 with an id of its own.
   * Gives    the record as its stream has it; `created` is false when a resource of this very id had the name before.
   * Refuses  already_exists {resource_id} when the name is taken; external_identity_conflict when the reference is; conflict when a resource of
   *          this id was deleted.
   */
  async create<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    actor: Actor,
  ): Promise<{ record: DefinitionRecord<D>; created: boolean }> {
    const { created, finish } = await this.begin(kind, record, actor);
    return { record: await finish(), created };
  }

  /** As `create`, up to its commit point: the claim. What is left may be done while others begin. */
  async begin<D extends Named>(kind: DefinitionKind<D>, record: DefinitionRecord<D>, actor: Actor): Promise<Begun<D>> {
    const { name } = record.wire;
    for (let judged = 0; judged < judgedMax; judged += 1) {
      const met = await this.meetName(kind, record.org_id, name);
      if (met.standing === 'borne') {
        const { holder } = met;
        if (holder.record.id === record.id) return { created: false, finish: () => Promise.resolve(holder.record) };
        throw nameTaken(holder.record.id);
      }
      if (met.standing === 'unfinished') continue;
      if (met.holder?.record.id === record.id && met.holder.record.deleted_at)
        throw new Refusal('conflict', {}, 'a resource of this id was deleted');
      const claim = {
        purpose: 'create' as const,
        claim_id: this.ids.ulid(),
        record: record as unknown as AnyRecord,
        act: claimActorOf(actor),
      };
      const claimed: NameClaimed = { org_id: record.org_id, type: kind.category, name, resource_id: record.id, claim };
      if (
        !(await this.streams.writeAt(nameKind, met.stream, actor, met.revision, [
          { type: 'NameClaimed', data: claimed },
        ]))
      )
        continue;
      const finish = async (): Promise<DefinitionRecord<D>> => {
        const made = await this.finishCreate(kind, claimed);
        if (!made) throw identityTaken(record.wire.external_ref ?? '');
        return made;
      };
      return { created: true, finish };
    }
    throw new StoreUnavailable(`the name ${name} changes hands again and again`);
  }

  /**
   * Claims a name for a resource that is to be renamed at exactly `revision`.
   *
   * Refuses  already_exists {resource_id} when another live resource bears it.
   */
  async claimRename<D extends Named>(
    kind: DefinitionKind<D>,
    current: Latest<D>,
    name: string,
    actor: Actor,
  ): Promise<void> {
    const { record, revision } = current;
    for (let judged = 0; judged < judgedMax; judged += 1) {
      const met = await this.meetName(kind, record.org_id, name, current);
      if (met.standing === 'borne') {
        if (met.holder.record.id === record.id) return;
        throw nameTaken(met.holder.record.id);
      }
      if (met.standing === 'unfinished') continue;
      const claim = {
        purpose: 'rename' as const,
        claim_id: this.ids.ulid(),
        old_name: record.wire.name,
        at_revision: revision,
        act: claimActorOf(actor),
      };
      const data: NameClaimed = { org_id: record.org_id, type: kind.category, name, resource_id: record.id, claim };
      if (await this.streams.writeAt(nameKind, met.stream, actor, met.revision, [{ type: 'NameClaimed', data }]))
        return;
    }
    throw new StoreUnavailable(`the name ${name} changes hands again and again`);
  }

  /**
   * Claims an outside identity for a resource that exists and has none.
   *
   * Refuses  external_identity_conflict when another resource bears it, be it deleted.
   */
  async claimRef<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    externalRef: string,
    actor: Actor,
  ): Promise<void> {
    if (!(await this.takeRef(kind, record, externalRef, null, actor))) throw identityTaken(externalRef);
  }

  /** Gives a name up after a rename or a delete. When it fails, the next who wants the name takes it over. */
  async release<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    name: string,
    actor: Actor,
  ): Promise<void> {
    try {
      await this.streams.run(nameKind, nameStreamId(record.org_id, kind.category, name), actor, (state) =>
        releaseName(record.id, state),
      );
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.logger.warn(`name of ${record.id} stays claimed until it is wanted: ${error.message}`);
    }
  }

  async releaseRef<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    externalRef: string,
    actor: Actor,
  ): Promise<void> {
    await this.streams.run(refKind, refStreamId(record.org_id, kind.category, externalRef), actor, (state) =>
      releaseRef(record.id, state),
    );
  }

  /** Reads a name's claim, and carries it out when its holder did not. `own` is the resource that is about to be renamed: its own claim is its own. */
  private async meetName<D extends Named>(
    kind: DefinitionKind<D>,
    orgId: string,
    name: string,
    own?: Latest<D>,
  ): Promise<Met<D>> {
    const stream = nameStreamId(orgId, kind.category, name);
    const { state, revision } = await this.streams.load(nameKind, stream);
    const { held } = state;
    const holder = held ? await this.streams.latest(kind, orgId, held.resource_id) : null;
    const standing = nameStanding(state, holder as Latest<AnyRecord['wire']> | null);
    if (standing === 'free') return { standing, holder, stream, revision };
    if (standing === 'borne' && holder) return { standing, holder, stream, revision };
    if (held && standing === 'rename_unfinished' && holder) {
      if (own && own.record.id === held.resource_id && own.revision === holder.revision)
        return { standing: 'borne', holder, stream, revision };
      await this.finishRename(kind, held, holder);
    } else if (held) {
      await this.finishCreate(kind, held);
    }
    return { standing: 'unfinished', holder: null, stream, revision };
  }

  private async meetRef<D extends Named>(kind: DefinitionKind<D>, orgId: string, externalRef: string): Promise<Met<D>> {
    const stream = refStreamId(orgId, kind.category, externalRef);
    const { state, revision } = await this.streams.load(refKind, stream);
    const { held } = state;
    const holder = held ? await this.streams.latest(kind, orgId, held.resource_id) : null;
    const standing = refStanding(state, holder as Latest<AnyRecord['wire']> | null);
    if (standing === 'free') return { standing, holder, stream, revision };
    if (standing === 'borne' && holder) return { standing, holder, stream, revision };
    if (held && standing === 'change_unfinished' && holder) await this.finishRef(kind, held, holder);
    else if (held?.creating_name) await this.meetName(kind, orgId, held.creating_name);
    return { standing: 'unfinished', holder: null, stream, revision };
  }

  /** Gives the record as written, or null when its reference was taken meanwhile and it was given up. */
  private async finishCreate<D extends Named>(
    kind: DefinitionKind<D>,
    held: NameClaimed,
  ): Promise<DefinitionRecord<D> | null> {
    if (held.claim.purpose !== 'create') return null;
    const { claim_id: claimId, act: actor } = held.claim;
    const record = held.claim.record as unknown as DefinitionRecord<D>;
    const externalRef = record.wire.external_ref;
    const borne = externalRef === undefined || (await this.takeRef(kind, record, externalRef, held.name, actor));
    const event = borne ? kind.created(record) : kind.deleted(abandoned(record));
    const { state } = await this.streams.run(kind, record.id, actor, (known) => (known.record ? [] : [event]), {
      eventId: () => uuidFrom(claimId, 'create'),
    });
    const written = state.record;
    if (!borne) {
      await this.release(kind, record, held.name, actor);
      return null;
    }
    return written ? this.streams.hydrate(record.org_id, written) : null;
  }

  private async finishRename<D extends Named>(
    kind: DefinitionKind<D>,
    held: NameClaimed,
    holder: Latest<D>,
  ): Promise<void> {
    if (held.claim.purpose !== 'rename') return;
    const { act: actor, claim_id: claimId, old_name: oldName, at_revision: revision } = held.claim;
    const record = this.changed(holder.record, { name: held.name } as Partial<D>, actor);
    const done = await this.streams.writeAt(kind, record.id, actor, revision, [kind.changed(record)], {
      eventId: () => uuidFrom(claimId, 'rename'),
    });
    if (done) await this.release(kind, record, oldName, actor);
  }

  private async finishRef<D extends Named>(
    kind: DefinitionKind<D>,
    held: RefClaimed,
    holder: Latest<D>,
  ): Promise<void> {
    const record = this.changed(holder.record, { external_ref: held.external_ref } as Partial<D>, held.act);
    await this.streams.writeAt(kind, record.id, held.act, holder.revision, [kind.changed(record)], {
      eventId: () => uuidFrom(held.claim_id, 'ref'),
    });
  }

  /** True when the reference is this resource's from now on; false when another bears it. */
  private async takeRef<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    externalRef: string,
    creatingName: string | null,
    actor: Actor,
  ): Promise<boolean> {
    const stream = refStreamId(record.org_id, kind.category, externalRef);
    for (let judged = 0; judged < judgedMax; judged += 1) {
      const { state } = await this.streams.load(refKind, stream);
      if (state.held?.resource_id === record.id) return true;
      const met = await this.meetRef(kind, record.org_id, externalRef);
      if (met.standing === 'borne') return met.holder.record.id === record.id;
      if (met.standing === 'unfinished') continue;
      const data: RefClaimed = {
        org_id: record.org_id,
        type: kind.category,
        external_ref: externalRef,
        resource_id: record.id,
        creating_name: creatingName,
        claim_id: this.ids.ulid(),
        act: claimActorOf(actor),
      };
      if (await this.streams.writeAt(refKind, stream, actor, met.revision, [{ type: 'RefClaimed', data }])) return true;
    }
    throw new StoreUnavailable(`the reference ${externalRef} changes hands again and again`);
  }

  private changed<D extends Named>(
    record: DefinitionRecord<D>,
    part: Partial<D>,
    actor: ClaimActor,
  ): DefinitionRecord<D> {
    const wire = { ...record.wire, ...part };
    return {
      ...record,
      wire,
      version: record.version + 1,
      updated_by: actor.principalId,
      updated_at: rfc3339(this.clock.now()),
    };
  }
}

type Met<D> =
  | { standing: 'borne'; holder: Latest<D>; stream: string; revision: number }
  | { standing: 'free'; holder: Latest<D> | null; stream: string; revision: number }
  | { standing: 'unfinished'; holder: null; stream: string; revision: number };

export function nameTaken(resourceId: string): Refusal {
  return new Refusal('already_exists', { resource_id: resourceId }, 'the name is taken');
}

export function identityTaken(externalRef: string): Refusal {
  return new Refusal(
    'external_identity_conflict',
    { external_ref: externalRef },
    'another resource has this external_ref',
  );
}

/** A resource that never came to be: its name was claimed, its reference was another's. */
function abandoned<D extends Named>(record: DefinitionRecord<D>): DefinitionRecord<D> {
  const wire = { ...record.wire };
  delete wire.external_ref;
  return { ...record, wire, deleted_at: record.created_at };
}

function claimActorOf({ orgId, principalId, principalKind, apiKeyId, ip, requestId }: Actor): ClaimActor {
  return { orgId, principalId, principalKind, apiKeyId, ip, requestId };
}
