import { Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Refusal, StoreUnavailable, rfc3339, uuidFrom } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { DefinitionRecord, Named } from '../definition/definition.events.js';
import type { DefinitionKind } from '../definition/definition.state.js';
import { DefinitionStreams, type Latest } from '../definition/definition-streams.js';
import { creationDecider } from '../definition/definition.decider.js';
import { nameDecider, refDecider } from '../names.decider.js';
import { claimStatus, refClaimStatus } from './names.decide.js';
import type { ClaimActor, NameClaimed, RefClaimed } from './names.events.js';
import { nameKind, nameStreamId, refKind, refStreamId } from './names.state.js';

/** How often a claim is tried again before the request gives up: each time another request moved it. */
const attemptsMax = 16;

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
 * Unique names and outside identities of definitions (ARCHITECTURE.md section 3).
 *
 * The claim on the name's stream is the commit point. A request that finds an unfinished claim carries it out first, in
 * the name of the claiming actor; there is no sweeper.
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
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const found = await this.findName(kind, orgId, name);
      if (found.status === 'taken') return found.holder;
      if (found.status === 'free') return null;
    }
    throw new StoreUnavailable(`too many concurrent changes of this name: ${name}`);
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
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const found = await this.findRef(kind, orgId, externalRef);
      if (found.status === 'taken') return found.holder;
      if (found.status === 'free') return null;
    }
    throw new StoreUnavailable(`too many concurrent changes of this reference: ${externalRef}`);
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
    const { name } = record.wire;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const found = await this.findName(kind, record.org_id, name);
      if (found.status === 'taken') {
        const { holder } = found;
        if (holder.record.id === record.id) return { created: false, finish: () => Promise.resolve(holder.record) };
        throw nameTaken(holder.record.id);
      }
      if (found.status === 'unfinished') continue;
      if (found.holder?.record.id === record.id && found.holder.record.deleted_at)
        throw new Refusal('conflict', {}, 'a resource of this id was deleted');
      const claim = { purpose: 'create' as const, claim_id: this.ids.ulid(), record, act: claimActorOf(actor) };
      const claimed: NameClaimed = { org_id: record.org_id, type: kind.category, name, resource_id: record.id, claim };
      if (
        !(await this.streams.decideUnmoved(nameDecider.claimName, found.stream, actor, {
          claimed,
          revision: found.revision,
        }))
      )
        continue;
      const finish = async (): Promise<DefinitionRecord<D>> => {
        const made = await this.finishCreate(kind, claimed);
        if (!made) throw identityTaken(record.wire.external_ref ?? '');
        return made;
      };
      return { created: true, finish };
    }
    throw new StoreUnavailable(`too many concurrent changes of this name: ${name}`);
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
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const found = await this.findName(kind, record.org_id, name, current);
      if (found.status === 'taken') {
        if (found.holder.record.id === record.id) return;
        throw nameTaken(found.holder.record.id);
      }
      if (found.status === 'unfinished') continue;
      const claim = {
        purpose: 'rename' as const,
        claim_id: this.ids.ulid(),
        old_name: record.wire.name,
        at_revision: revision,
        act: claimActorOf(actor),
      };
      const claimed: NameClaimed = { org_id: record.org_id, type: kind.category, name, resource_id: record.id, claim };
      const command = { claimed, revision: found.revision };
      if (await this.streams.decideUnmoved(nameDecider.claimName, found.stream, actor, command)) return;
    }
    throw new StoreUnavailable(`too many concurrent changes of this name: ${name}`);
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
    try {
      const stream = nameStreamId(record.org_id, kind.category, name);
      await this.streams.decide(nameDecider.releaseName, stream, actor, { resourceId: record.id });
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
    const stream = refStreamId(record.org_id, kind.category, externalRef);
    await this.streams.decide(refDecider.releaseRef, stream, actor, { resourceId: record.id });
  }

  /**
   * Reads a name's claim, and carries it out when its holder did not. `own` is the resource that is about to be
   * renamed: a claim that it holds itself is no obstacle.
   */
  private async findName<D extends Named>(
    kind: DefinitionKind<D>,
    orgId: string,
    name: string,
    own?: Latest<D>,
  ): Promise<FoundClaim<D>> {
    const stream = nameStreamId(orgId, kind.category, name);
    const { state, revision } = await this.streams.load(nameKind, stream);
    const { held: claimed } = state;
    const holder = claimed ? await this.streams.latest(kind, orgId, claimed.resource_id) : null;
    const status = claimStatus(state, holder);
    if (status === 'free') return { status, holder, stream, revision };
    if (status === 'taken' && holder) return { status, holder, stream, revision };
    if (claimed && status === 'rename_unfinished' && holder) {
      if (own && own.record.id === claimed.resource_id && own.revision === holder.revision)
        return { status: 'taken', holder, stream, revision };
      await this.finishRename(kind, claimed, holder);
    } else if (claimed) {
      await this.finishCreate(kind, claimed);
    }
    return { status: 'unfinished', holder: null, stream, revision };
  }

  private async findRef<D extends Named>(
    kind: DefinitionKind<D>,
    orgId: string,
    externalRef: string,
  ): Promise<FoundClaim<D>> {
    const stream = refStreamId(orgId, kind.category, externalRef);
    const { state, revision } = await this.streams.load(refKind, stream);
    const { held: claimed } = state;
    const holder = claimed ? await this.streams.latest(kind, orgId, claimed.resource_id) : null;
    const status = refClaimStatus(state, holder);
    if (status === 'free') return { status, holder, stream, revision };
    if (status === 'taken' && holder) return { status, holder, stream, revision };
    if (claimed && status === 'change_unfinished' && holder) await this.finishRef(kind, claimed, holder);
    else if (claimed?.creating_name) await this.findName(kind, orgId, claimed.creating_name);
    return { status: 'unfinished', holder: null, stream, revision };
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

  private async finishRef<D extends Named>(
    kind: DefinitionKind<D>,
    claimed: RefClaimed,
    holder: Latest<D>,
  ): Promise<void> {
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
    const stream = refStreamId(record.org_id, kind.category, externalRef);
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const { state } = await this.streams.load(refKind, stream);
      if (state.held?.resource_id === record.id) return true;
      const found = await this.findRef(kind, record.org_id, externalRef);
      if (found.status === 'taken') return found.holder.record.id === record.id;
      if (found.status === 'unfinished') continue;
      const claimed: RefClaimed = {
        org_id: record.org_id,
        type: kind.category,
        external_ref: externalRef,
        resource_id: record.id,
        creating_name: creatingName,
        claim_id: this.ids.ulid(),
        act: claimActorOf(actor),
      };
      const command = { claimed, revision: found.revision };
      if (await this.streams.decideUnmoved(refDecider.claimRef, stream, actor, command)) return true;
    }
    throw new StoreUnavailable(`too many concurrent changes of this reference: ${externalRef}`);
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

type FoundClaim<D> =
  | { status: 'taken'; holder: Latest<D>; stream: string; revision: number }
  | { status: 'free'; holder: Latest<D> | null; stream: string; revision: number }
  | { status: 'unfinished'; holder: null; stream: string; revision: number };

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

/** A resource that was not created: its name was claimed, but another resource has its reference. */
function abandoned<D extends Named>(record: DefinitionRecord<D>): DefinitionRecord<D> {
  const wire = { ...record.wire };
  delete wire.external_ref;
  return { ...record, wire, deleted_at: record.created_at };
}

function claimActorOf({ orgId, principalId, principalKind, apiKeyId, ip, requestId }: Actor): ClaimActor {
  return { orgId, principalId, principalKind, apiKeyId, ip, requestId };
}
