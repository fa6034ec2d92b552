import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody } from '@aos/contract';
import {
  Ids,
  Refusal,
  invalidArgument,
  looksLikeId,
  notFound,
  type CustodyCommand,
  type Identity,
  type WantedCustody,
  type WantedOwner,
} from '@aos/kernel';
import { CommandSender, ReleaseWrites } from '@aos/platform';
import { ActivePrincipals } from '@aos/access/published';
import { ChangeArtifactCustody } from '@aos/artifacts/published';
import { CustodyWriter, FollowUps, postureFor, type DefinitionType } from '@aos/definitions/published';
import { WebhookDirectory } from '@aos/events/published';
import { ChangeRoutineCustody } from '@aos/routines/published';
import { ChangeSessionCustody } from '@aos/sessions/published';
import { ChangeOwnership, type OwnershipState } from './ownership.commands.js';

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
   * Source   rule TE10.
   */
  async execute({ who, input: { resource_type: type, resource_id: id, body } }: ChangeOwnership) {
    this.writes.requireFeature('ownership');
    const wanted = wantedOf(body);
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
    const { owner } = await this.custody.record(who.orgId, type, id);
    await this.requirePerson(who, wanted.owner);
    const isGone = await this.principals.isOwnerGone(who.orgId, owner);
    const command: CustodyCommand = { wanted, basis: { kind: 'transfer', owner_is_gone: isGone } };
    const record = await this.custody.change(who, type, id, command);
    if (record.follow_ups) await this.followUps.carryOutOrLeave(who.orgId, id);
    const { visibility } = record;
    return { owner: { ...record.owner }, visibility, container: null, posture: postureFor(record, who) };
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
