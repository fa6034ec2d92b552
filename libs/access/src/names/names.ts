import { Injectable } from '@nestjs/common';
import { Refusal, StoreUnavailable, requireName, uuidFrom, type JsonObject, type PrincipalKind } from '@aos/kernel';
import { Decisions, type Actor } from '@aos/platform';
import { nameDecider } from '../name.decider.js';
import type { NamedType } from './name.events.js';
import { nameKind, nameStreamId } from './name.state.js';
import { NameTaken, claimedBy, type NameHolder } from './names.decide.js';

const claimAttemptsMax = 8;

/** How claims of one type of resource find and complete the resources that they name. */
export interface NamedResource {
  type: NamedType;
  status(resourceId: string): Promise<'missing' | 'live' | 'deleted'>;
  /** Appends the creation at `none` with this event id; appends none when the resource exists. */
  create(actor: Actor, definition: JsonObject, eventId: string): Promise<void>;
}

export interface NameClaim {
  name: string;
  resourceId: string;
  definition: JsonObject;
}

/**
 * Names that are unique in an organization among live resources (rule R43).
 *
 * The claim is the commit point and carries the whole definition: a process that finds a claim whose resource is
 * missing completes it. A claim of a deleted resource is taken over at its exact revision. There is no sweeper.
 */
@Injectable()
export class Names {
  constructor(private readonly decisions: Decisions) {}

  /**
   * Claims the name, then creates the resource.
   *
   * Takes    who acts, how resources of the type are found and created, and the claim.
   * Refuses  bad_request for a name that does not fit (rule G28); already_exists {resource_id} while a live resource
   *          has the name.
   */
  async create(actor: Actor, resource: NamedResource, claim: NameClaim): Promise<void> {
    requireName(claim.name);
    const streamId = nameStreamId(actor.orgId, resource.type, claim.name);
    for (let attempt = 0; attempt < claimAttemptsMax; attempt += 1) {
      const mine = await this.claim(actor, streamId, resource, claim);
      if (mine) return resource.create(actor, mine.definition, creationEventId(streamId, mine.claimRevision));
    }
    throw new StoreUnavailable(`the name of ${claim.resourceId} changes hands without end`);
  }

  /** Releases the name; does not change a name that another resource holds by now. */
  async release(actor: Actor, type: NamedType, name: string, resourceId: string): Promise<void> {
    const released = { org_id: actor.orgId, resource_type: type, name, resource_id: resourceId };
    await this.decisions.decide(nameDecider.releaseName, nameStreamId(actor.orgId, type, name), actor, released);
  }

  /**
   * Id of the live resource that holds the name; completes a claim whose resource is missing. Null when the name is
   * free.
   */
  async resolve(orgId: string, resource: NamedResource, name: string): Promise<string | null> {
    const streamId = nameStreamId(orgId, resource.type, name);
    const { holder } = (await this.decisions.load(nameKind, streamId)).state;
    if (!holder) return null;
    return (await this.complete(orgId, streamId, resource, holder)) === 'live' ? holder.resourceId : null;
  }

  /**
   * Gives    the claim that holds for this resource; null when another claim came first while a deleted holder's claim
   *          was being taken over.
   */
  private async claim(
    actor: Actor,
    streamId: string,
    resource: NamedResource,
    claim: NameClaim,
    over: number | null = null,
  ): Promise<NameHolder | null> {
    const claimed = {
      org_id: actor.orgId,
      resource_type: resource.type,
      name: claim.name,
      resource_id: claim.resourceId,
      definition: claim.definition,
      claimed_by: claimedBy(actor),
    };
    try {
      const command = { claim: claimed, over };
      return (await this.decisions.decide(nameDecider.claimName, streamId, actor, command)).state.holder;
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      const status = await this.complete(actor.orgId, streamId, resource, error.holder);
      if (status === 'live')
        throw new Refusal(
          'already_exists',
          { resource_id: error.holder.resourceId },
          `the name ${claim.name} is taken`,
        );
      return over === null ? this.claim(actor, streamId, resource, claim, error.holder.claimRevision) : null;
    }
  }

  private async complete(
    orgId: string,
    streamId: string,
    resource: NamedResource,
    holder: NameHolder,
  ): Promise<'live' | 'deleted'> {
    const status = await resource.status(holder.resourceId);
    if (status !== 'missing') return status;
    const { claimedBy } = holder;
    const actor: Actor = {
      orgId,
      principalId: claimedBy.principal_id,
      principalKind: claimedBy.principal_kind as PrincipalKind,
      apiKeyId: claimedBy.api_key_id,
      ip: claimedBy.ip,
      requestId: claimedBy.request_id,
    };
    await resource.create(actor, holder.definition, creationEventId(streamId, holder.claimRevision));
    return 'live';
  }
}

function creationEventId(streamId: string, claimRevision: number): string {
  return uuidFrom('claimed', streamId, String(claimRevision));
}
