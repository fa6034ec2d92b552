import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody } from '@aos/contract';
import {
  Ids,
  Refusal,
  invalidArgument,
  looksLikeId,
  notFound,
  type CustodyBasis,
  type CustodyCommand,
  type Identity,
  type WantedCustody,
  type WantedOwner,
} from '@aos/kernel';
import { CommandSender, ReleaseWrites } from '@aos/platform';
import { ActivePrincipals } from '@aos/access/published';
import { ChangeArtifactCustody } from '@aos/artifacts/published';
import {
  CustodyWriter,
  FollowUps,
  custodyAfter,
  postureFor,
  type AnyRecord,
  type DefinitionType,
} from '@aos/definitions/published';
import { WebhookDirectory } from '@aos/events/published';
import { ChangeRoutineCustody } from '@aos/routines/published';
import { ChangeSessionCustody } from '@aos/sessions/published';
import { ChangeOwnership, type OwnershipState } from './ownership.commands.js';

/** A change that is judged for access alone, and writes nothing. */
const nothing: WantedCustody = { confirmed: true };

/** Custody of each kind of thing is changed by the context that has it; what is the same for all stands here. */
@CommandHandler(ChangeOwnership)
export class ChangeOwnershipHandler implements ICommandHandler<ChangeOwnership> {
  constructor(
    private readonly custody: CustodyWriter,
    private readonly followUps: FollowUps,
    private readonly webhooks: WebhookDirectory,
    private readonly principals: ActivePrincipals,
    private readonly sender: CommandSender,
    private readonly writes: ReleaseWrites,
    private readonly ids: Ids,
  ) {}

  /**
   * Refuses  not_found for what is unknown, out of reach, or never changes hands; invalid_argument {argument: owner}
   *          for a person who is not there; conflict for a web hook; upgrade_pending; what the contexts refuse.
   * Source   rules TE10, VER7.
   */
  async execute({ who, input: { resource_type: type, resource_id: id, body } }: ChangeOwnership) {
    if (this.writes.allowed === 'previous') await this.requireAccess(who, type, id);
    this.writes.requireFeature('ownership');
    return this.changed(who, type, id, wantedOf(body));
  }

  private async requireAccess(who: Identity, type: string, id: string): Promise<void> {
    switch (type) {
      case 'action':
      case 'agent':
      case 'skill':
      case 'table': {
        const record = await this.custody.record(who.orgId, type, id);
        custodyAfter(record, { wanted: nothing, basis: await this.basisOf(record) }, who);
        return;
      }
      default:
        await this.changed(who, type, id, nothing);
    }
  }

  private async changed(who: Identity, type: string, id: string, wanted: WantedCustody): Promise<OwnershipState> {
    switch (type) {
      case 'action':
      case 'agent':
      case 'skill':
      case 'table':
        return this.definition(who, type, id, wanted);
      case 'artifact':
        await this.requirePerson(who, wanted.owner);
        return this.sender.send(
          new ChangeArtifactCustody(who, { artifact_id: id, ...transferOf(wanted) }, this.ids.ulid()),
        );
      case 'routine':
        return this.sender.send(new ChangeRoutineCustody(who, { routine_id: id, wanted }, this.ids.ulid()));
      case 'session':
        if (!looksLikeId('ses', id)) throw notFound('session');
        await this.requirePerson(who, wanted.owner);
        return this.sender.send(
          new ChangeSessionCustody(who, { session_id: id, ...transferOf(wanted) }, this.ids.ulid()),
        );
      case 'webhook':
        await this.webhooks.get(who, id);
        throw new Refusal('conflict', { reason: 'team_only' }, 'a web hook is always owned by the team');
      default:
        throw notFound();
    }
  }

  private async definition(
    who: Identity,
    type: DefinitionType,
    id: string,
    wanted: WantedCustody,
  ): Promise<OwnershipState> {
    const known = await this.custody.record(who.orgId, type, id);
    await this.requirePerson(who, wanted.owner);
    const record = await this.custody.change(who, type, id, { wanted, basis: await this.basisOf(known) });
    if (record.follow_ups) await this.followUps.carryOutOrLeave(who.orgId, id);
    const { visibility } = record;
    return { owner: { ...record.owner }, visibility, container: null, posture: postureFor(record, who) };
  }

  private async basisOf({ org_id: orgId, owner }: AnyRecord): Promise<CustodyBasis> {
    return { kind: 'transfer', owner_is_gone: await this.principals.isOwnerGone(orgId, owner) };
  }

  /** A new owner is a person who can act. */
  private async requirePerson(who: Identity, owner: WantedOwner | undefined): Promise<void> {
    if (owner?.kind !== 'person' || !owner.id) return;
    const found = await this.principals.find(who.orgId, owner.id);
    if (found?.kind !== 'human') throw invalidArgument('owner', 'no such person', { reason: 'unknown_person' });
  }
}

function wantedOf(body: RequestBody<'updateResourceOwnership'>): WantedCustody {
  const { owner, visibility } = body;
  return {
    ...(owner && { owner }),
    // the contract's schema lets no other one in
    ...(visibility && { visibility: visibility === 'private' ? 'private' : 'organization' }),
    ...(body.detach_container === true && { detach: true }),
    confirmed: body.confirm_audience_expansion === true,
  };
}

function transferOf(wanted: WantedCustody): { change: CustodyCommand; judge_only: false } {
  return { change: { wanted, basis: { kind: 'transfer', owner_is_gone: false } }, judge_only: false };
}
