import { Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Refusal, rfc3339, uuidFrom } from '@aos/kernel';
import { claims, type Actor } from '@aos/platform';
import type { DefinitionRecord, Named } from '../definition/definition.events.js';
import type { DefinitionKind } from '../definition/definition.state.js';
import { DefinitionStreams, type Latest } from '../definition/definition-streams.js';
import { creationDecider } from '../definition/definition.decider.js';
import { nameDecider, refDecider } from '../names.decider.js';
import { claimStatus, refClaimStatus } from './names.decide.js';
import type { ClaimActor, NameClaimed, RefClaimed } from './names.events.js';
import { nameKind, nameStreamId, refKind, refStreamId } from './names.state.js';

/**
 * A resource with a claimed name. Its creation is finished by this request or by the next one that finds the claim.
 */
export interface PendingCreate<D> {
  /** False when a resource of this very id had the name before. */
  created: boolean;
  /** Carries the claim out. Gives the record as its stream has it. */
  finish(): Promise<DefinitionRecord<D>>;
}

/**
 * Unique names and outside identities of definitions, by the protocol of claims: an unfinished one is carried out in
 * the name of the claiming actor.
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
   * The live resource of a type that has a name.
   *
   * Gives    the resource and its revision; null when no live resource has the name.
   */
  async named<D extends Named>(kind: DefinitionKind<D>, orgId: string, name: string): Promise<Latest<D> | null> {
    return claims.holderOf(this.nameOf(kind, orgId, name));
  }

  /**
   * As `named`, but writes nothing: for previews. A claim that was not carried out counts as carried out; a resource
   * that is not written yet has revision -1.
   */
  async peek<D extends Named>(kind: DefinitionKind<D>, orgId: string, name: string): Promise<Latest<D> | null> {
    const { state } = await this.streams.load(nameKind, nameStreamId(orgId, kind.category, name));
    const { held: claimed } = state;
    const holder = claimed ? await this.streams.latest(kind, orgId, claimed.resource_id) : null;
    const status = claimStatus(state, holder);
    if (status === 'free' || !claimed) return null;
    if (holder || claimed.claim.purpose === 'rename') return holder;
    return { record: await this.streams.hydrate(orgId, claimed.claim.record as DefinitionRecord<D>), revision: -1 };
  }

  /** The resource that has an outside identity, deleted ones included; null when none does. */
  async holderOfRef<D extends Named>(
    kind: DefinitionKind<D>,
    orgId: string,
    externalRef: string,
  ): Promise<Latest<D> | null> {
    return claims.holderOf(this.refOf(kind, orgId, externalRef));
  }

  /**
   * Makes a resource: claims its name with the whole record, then carries the claim out.
   *
   * Takes    a record at version 1 with an id of its own.
   * Gives    the record as its stream has it; `created` is false when a resource of this very id had the name before.
   * Refuses  already_exists {resource_id} when the name is taken; external_identity_conflict when the reference is;
   *          conflict when a resource of this id was deleted.
   */
  async create<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    actor: Actor,
  ): Promise<{ record: DefinitionRecord<D>; created: boolean }> {
    const { created, finish } = await this.begin(kind, record, actor);
    return { record: await finish(), created };
  }

  /** As `create`, up to its commit point: the claim. The rest may run while other creates start. */
  async begin<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    actor: Actor,
  ): Promise<PendingCreate<D>> {
    const claim = { purpose: 'create' as const, claim_id: this.ids.ulid(), record, act: claimActorOf(actor) };
    const claimed: NameClaimed = {
      org_id: record.org_id,
      type: kind.category,
      name: record.wire.name,
      resource_id: record.id,
      claim,
    };
    const holder = await claims.claim(this.nameOf(kind, record.org_id, claimed.name), (free) => {
      if (free.holder?.record.id === record.id && free.holder.record.deleted_at)
        throw new Refusal('conflict', {}, 'a resource of this id was deleted');
      return this.writeName(claimed, free.revision, actor);
    });
    if (holder && holder.record.id !== record.id) throw nameTaken(holder.record.id);
    if (holder) return { created: false, finish: () => Promise.resolve(holder.record) };
    return {
      created: true,
      finish: async () => {
        const made = await this.finishCreate(kind, claimed);
        if (!made) throw identityTaken(record.wire.external_ref ?? '');
        return made;
      },
    };
  }

  /**
   * Claims a name for a resource that is to be renamed at exactly `revision`.
   *
   * Refuses  already_exists {resource_id} when another live resource has it.
   */
  async claimRename<D extends Named>(
    kind: DefinitionKind<D>,
    current: Latest<D>,
    name: string,
    actor: Actor,
  ): Promise<void> {
    const { record, revision } = current;
    const claim = {
      purpose: 'rename' as const,
      claim_id: this.ids.ulid(),
      old_name: record.wire.name,
      at_revision: revision,
      act: claimActorOf(actor),
    };
    const claimed: NameClaimed = { org_id: record.org_id, type: kind.category, name, resource_id: record.id, claim };
    const holder = await claims.claim(this.nameOf(kind, record.org_id, name, current), (free) =>
      this.writeName(claimed, free.revision, actor),
    );
    if (holder && holder.record.id !== record.id) throw nameTaken(holder.record.id);
  }

  /**
   * Claims an outside identity for a resource that exists and has none.
   *
   * Refuses  external_identity_conflict when another resource has it, also a deleted one.
   */
  async claimRef<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    externalRef: string,
    actor: Actor,
  ): Promise<void> {
    if (!(await this.takeRef(kind, record, externalRef, null, actor))) throw identityTaken(externalRef);
  }

  /**
   * Gives a name up after a rename or a delete. When this fails, the next request that wants the name takes it over.
   */
  async release<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    name: string,
    actor: Actor,
  ): Promise<void> {
    const stream = nameStreamId(record.org_id, kind.category, name);
    await claims.release(
      () => this.streams.decide(nameDecider.releaseName, stream, actor, { resourceId: record.id }),
      ({ message }) => this.logger.warn(`name of ${record.id} stays claimed until it is wanted: ${message}`),
    );
  }

  /** As `release`, but a failure is thrown: the next that wants a reference which is left gives it to its holder. */
  async releaseRef<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    externalRef: string,
    actor: Actor,
  ): Promise<void> {
    const stream = refStreamId(record.org_id, kind.category, externalRef);
    await this.streams.decide(refDecider.releaseRef, stream, actor, { resourceId: record.id });
  }

  /** The claim on a name. `own` is the resource that is to be renamed: a claim that it holds itself is no obstacle. */
  private nameOf<D extends Named>(
    kind: DefinitionKind<D>,
    orgId: string,
    name: string,
    own?: Latest<D>,
  ): DefinitionClaim<D> {
    const standing = async (): Promise<Standing<D>> => {
      const { state, revision } = await this.streams.load(nameKind, nameStreamId(orgId, kind.category, name));
      const { held: claimed } = state;
      const holder = claimed ? await this.streams.latest(kind, orgId, claimed.resource_id) : null;
      const status = claimStatus(state, holder);
      if (status === 'taken' && holder) return { status, holder };
      if (!claimed || status === 'free') return { status: 'free', holder, revision };
      if (status !== 'rename_unfinished' || !holder)
        return { status: 'unfinished', finish: () => this.finishCreate(kind, claimed) };
      if (own && own.record.id === claimed.resource_id && own.revision === holder.revision)
        return { status: 'taken', holder };
      return { status: 'unfinished', finish: () => this.finishRename(kind, claimed, holder) };
    };
    return { what: `name: ${name}`, standing };
  }

  /** The claim on an outside identity. `own` is the resource that wants it: what it claimed itself it has. */
  private refOf<D extends Named>(
    kind: DefinitionKind<D>,
    orgId: string,
    externalRef: string,
    own?: DefinitionRecord<D>,
  ): DefinitionClaim<D> {
    const standing = async (): Promise<Standing<D>> => {
      const { state, revision } = await this.streams.load(refKind, refStreamId(orgId, kind.category, externalRef));
      const { held: claimed } = state;
      if (own && claimed?.resource_id === own.id) return { status: 'taken', holder: { record: own, revision: -1 } };
      const holder = claimed ? await this.streams.latest(kind, orgId, claimed.resource_id) : null;
      const status = refClaimStatus(state, holder);
      if (status === 'taken' && holder) return { status, holder };
      if (!claimed || status === 'free') return { status: 'free', holder, revision };
      return { status: 'unfinished', finish: () => this.finishRef(kind, claimed, holder) };
    };
    return { what: `reference: ${externalRef}`, standing };
  }

  /** Writes a claim of a name that was found free at exactly `revision`; false when it has moved. */
  private writeName(claimed: NameClaimed, revision: number, actor: Actor): Promise<boolean> {
    const stream = nameStreamId(claimed.org_id, claimed.type, claimed.name);
    return this.streams.decideUnmoved(nameDecider.claimName, stream, actor, { claimed, revision });
  }

  /** Gives the record as written, or null when its reference was taken meanwhile and it was given up. */
  private async finishCreate<D extends Named>(
    kind: DefinitionKind<D>,
    claimed: NameClaimed,
  ): Promise<DefinitionRecord<D> | null> {
    if (claimed.claim.purpose !== 'create') return null;
    const { claim_id: claimId, act: actor } = claimed.claim;
    const record = claimed.claim.record as DefinitionRecord<D>;
    const externalRef = record.wire.external_ref;
    const hasRef = externalRef === undefined || (await this.takeRef(kind, record, externalRef, claimed.name, actor));
    const event = hasRef ? kind.created(record) : kind.deleted(abandoned(record));
    const { finishCreation } = creationDecider(kind);
    const options = { eventId: () => uuidFrom(claimId, 'create') };
    const { state } = await this.streams.decide(finishCreation, record.id, actor, { event }, options);
    const written = state.record;
    if (!hasRef) {
      await this.release(kind, record, claimed.name, actor);
      return null;
    }
    return written ? this.streams.hydrate(record.org_id, written) : null;
  }

  private async finishRename<D extends Named>(
    kind: DefinitionKind<D>,
    claimed: NameClaimed,
    holder: Latest<D>,
  ): Promise<void> {
    if (claimed.claim.purpose !== 'rename') return;
    const { act: actor, claim_id: claimId, old_name: oldName, at_revision: revision } = claimed.claim;
    const record = this.changed(holder.record, { name: claimed.name } as Partial<D>, actor);
    const done = await this.streams.writeAt(kind, record.id, actor, revision, [kind.changed(record)], {
      eventId: () => uuidFrom(claimId, 'rename'),
    });
    if (done) await this.release(kind, record, oldName, actor);
  }

  /** Without a holder the resource is being created under a name: the claim of that name is carried out. */
  private async finishRef<D extends Named>(
    kind: DefinitionKind<D>,
    claimed: RefClaimed,
    holder: Latest<D> | null,
  ): Promise<void> {
    if (!holder) {
      if (claimed.creating_name === null) return;
      const found = await this.nameOf(kind, claimed.org_id, claimed.creating_name).standing();
      if (found.status === 'unfinished') await found.finish();
      return;
    }
    const record = this.changed(holder.record, { external_ref: claimed.external_ref } as Partial<D>, claimed.act);
    await this.streams.writeAt(kind, record.id, claimed.act, holder.revision, [kind.changed(record)], {
      eventId: () => uuidFrom(claimed.claim_id, 'ref'),
    });
  }

  /** True when the reference is this resource's from now on; false when another has it. */
  private async takeRef<D extends Named>(
    kind: DefinitionKind<D>,
    record: DefinitionRecord<D>,
    externalRef: string,
    creatingName: string | null,
    actor: Actor,
  ): Promise<boolean> {
    const claimed: RefClaimed = {
      org_id: record.org_id,
      type: kind.category,
      external_ref: externalRef,
      resource_id: record.id,
      creating_name: creatingName,
      claim_id: this.ids.ulid(),
      act: claimActorOf(actor),
    };
    const stream = refStreamId(record.org_id, kind.category, externalRef);
    const holder = await claims.claim(this.refOf(kind, record.org_id, externalRef, record), ({ revision }) =>
      this.streams.decideUnmoved(refDecider.claimRef, stream, actor, { claimed, revision }),
    );
    return holder === null || holder.record.id === record.id;
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

/** What a free claim is written on: the holder that has it no longer, and the revision of the claim's stream. */
interface Free<D> {
  holder: Latest<D> | null;
  revision: number;
}
type Standing<D> = claims.ClaimStanding<Latest<D>, Free<D>>;
type DefinitionClaim<D> = claims.Claimable<Latest<D>, Free<D>>;

export function nameTaken(resourceId: string): Refusal {
  return new Refusal('already_exists', { resource_id: resourceId }, 'the name is taken');
}

function identityTaken(externalRef: string): Refusal {
  return new Refusal(
    'external_identity_conflict',
    { external_ref: externalRef },
    'another resource has this external_ref',
  );
}

/** A resource that was not created: its name was claimed, but another resource has its reference. */
function abandoned<D extends Named>(record: DefinitionRecord<D>): DefinitionRecord<D> {
  const wire = { ...record.wire };
  delete wire.external_ref;
  return { ...record, wire, deleted_at: record.created_at };
}

function claimActorOf({ orgId, principalId, principalKind, apiKeyId, ip, requestId }: Actor): ClaimActor {
  return { orgId, principalId, principalKind, apiKeyId, ip, requestId };
}
