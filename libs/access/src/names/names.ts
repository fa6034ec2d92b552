import { Injectable, Logger } from '@nestjs/common';
import { Refusal, requireName, uuidFrom, type JsonObject, type PrincipalKind } from '@aos/kernel';
import { Decisions, claims, type Actor } from '@aos/platform';
import { nameDecider } from '../name.decider.js';
import type { NamedType } from './name.events.js';
import { nameKind, nameStreamId } from './name.state.js';
import { NameTaken, claimedBy, type NameHolder } from './names.decide.js';

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

/** The revision of the claim that a new one takes over; null when there is none. */
type Over = { over: number | null };

/**
 * Names that are unique in an organization among live resources (rule R43), by the protocol of claims. A claim carries
 * the whole definition. A claim of a deleted resource is taken over at its exact revision.
 */
@Injectable()
export class Names {
  private readonly logger = new Logger('names');

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
    const holder = await claims.claim(this.claimable(actor.orgId, resource, claim.name), async ({ over }) => {
      const mine = await this.claimOver(over, actor, resource.type, claim);
      if (mine) await complete(actor, streamId, resource, mine);
      return mine !== null;
    });
    if (holder && holder.resourceId !== claim.resourceId)
      throw new Refusal('already_exists', { resource_id: holder.resourceId }, `the name ${claim.name} is taken`);
  }

  /**
   * Gives the name of a deleted resource up; does not change a name that another resource holds by now. When this
   * fails, the next request that wants the name takes it over.
   */
  async release(actor: Actor, type: NamedType, name: string, resourceId: string): Promise<void> {
    const released = { org_id: actor.orgId, resource_type: type, name, resource_id: resourceId };
    const streamId = nameStreamId(actor.orgId, type, name);
    await claims.release(
      () => this.decisions.decide(nameDecider.releaseName, streamId, actor, released),
      ({ message }) => this.logger.warn(`name of ${resourceId} stays claimed until it is wanted: ${message}`),
    );
  }

  /**
   * Id of the live resource that holds the name; completes a claim whose resource is missing. Null when the name is
   * free.
   */
  async resolve(orgId: string, resource: NamedResource, name: string): Promise<string | null> {
    return (await claims.holderOf(this.claimable(orgId, resource, name)))?.resourceId ?? null;
  }

  private claimable(orgId: string, resource: NamedResource, name: string): claims.Claimable<NameHolder, Over> {
    const streamId = nameStreamId(orgId, resource.type, name);
    return {
      what: `name: ${name}`,
      standing: async () => {
        const { holder } = (await this.decisions.load(nameKind, streamId)).state;
        if (!holder) return { status: 'free', over: null };
        const status = await resource.status(holder.resourceId);
        if (status === 'live') return { status: 'taken', holder };
        if (status === 'deleted') return { status: 'free', over: holder.claimRevision };
        return { status: 'unfinished', finish: () => complete(claimer(orgId, holder), streamId, resource, holder) };
      },
    };
  }

  /** Gives the claim that holds for this resource; null when another claim came first. */
  private async claimOver(
    over: number | null,
    actor: Actor,
    type: NamedType,
    { name, resourceId, definition }: NameClaim,
  ): Promise<NameHolder | null> {
    const claimed = {
      org_id: actor.orgId,
      resource_type: type,
      name,
      resource_id: resourceId,
      definition,
      claimed_by: claimedBy(actor),
    };
    try {
      const streamId = nameStreamId(actor.orgId, type, name);
      return (await this.decisions.decide(nameDecider.claimName, streamId, actor, { claim: claimed, over })).state
        .holder;
    } catch (error) {
      if (error instanceof NameTaken) return null;
      throw error;
    }
  }
}

/** The actor who made the claim: what completes it is written in this actor's name. */
function claimer(orgId: string, { claimedBy: by }: NameHolder): Actor {
  return {
    orgId,
    principalId: by.principal_id,
    principalKind: by.principal_kind as PrincipalKind,
    apiKeyId: by.api_key_id,
    ip: by.ip,
    requestId: by.request_id,
  };
}

function complete(actor: Actor, streamId: string, resource: NamedResource, holder: NameHolder): Promise<void> {
  const eventId = uuidFrom('claimed', streamId, String(holder.claimRevision));
  return resource.create(actor, holder.definition, eventId);
}
