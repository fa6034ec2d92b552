import { Injectable } from '@nestjs/common';
import { Ids, Refusal, invalidArgument, notFound, type CustodyBasis, type Identity } from '@aos/kernel';
import { CommandSender } from '@aos/platform';
import { ChangeArtifactCustody } from '@aos/artifacts/published';
import { CustodyWriter, mayChange, type Disposition } from '@aos/definitions/published';
import { ChangeSessionCustody } from '@aos/sessions/published';
import { actionsOf, wantedBy } from '../impact/dispositions.decide.js';

const argument = 'affected_resource_dispositions';

/** One resource that a change of an agent's audience concerns: judged before, and changed after it (rule TE11). */
@Injectable()
export class DispositionSteps {
  constructor(
    private readonly custody: CustodyWriter,
    private readonly sender: CommandSender,
    private readonly ids: Ids,
  ) {}

  /** Refuses what `FollowUpCarrier.judge` does; writes nothing. */
  async judge(who: Identity, disposition: Disposition): Promise<void> {
    const { resource_type: type, resource_id: id, action } = disposition;
    const details = { resource_type: type, resource_id: id };
    if (!actionsOf(type, null).includes(action))
      throw invalidArgument(argument, `${action} is nothing that happens to a ${type}`, {
        ...details,
        reason: 'action_not_allowed',
      });
    try {
      if (type === 'skill' && action === 'revoke') await this.requireCustody(who, id);
      else await this.step(who, disposition, { changeId: this.ids.ulid(), isJudgedOnly: true });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_argument') throw error;
      const { reason = 'action_not_allowed' } = error.details;
      throw invalidArgument(argument, error.message, { ...details, reason });
    }
  }

  /** Changes the resource, once for each change id. Refuses as the judge would now. */
  carryOut(who: Identity, disposition: Disposition, changeId: string): Promise<void> {
    return this.step(who, disposition, { changeId, isJudgedOnly: false });
  }

  private async step(
    who: Identity,
    { resource_type: type, resource_id: id, action }: Disposition,
    { changeId, isJudgedOnly }: { changeId: string; isJudgedOnly: boolean },
  ): Promise<void> {
    const basis: CustodyBasis = { kind: 'disposition', change_id: changeId };
    const change = { wanted: wantedBy(action), basis };
    const judging = { change, judge_only: isJudgedOnly };
    const deliveryId = `${changeId}-${id}`;
    switch (type) {
      case 'artifact':
        await this.sender.send(new ChangeArtifactCustody(who, { artifact_id: id, ...judging }, deliveryId));
        return;
      case 'session':
        await this.sender.send(new ChangeSessionCustody(who, { session_id: id, ...judging }, deliveryId));
        return;
      default:
        if (isJudgedOnly) await this.custody.judge(who, type, id, change);
        else await this.custody.change(who, type, id, change);
    }
  }

  private async requireCustody(who: Identity, skillId: string): Promise<void> {
    const skill = await this.custody.record(who.orgId, 'skill', skillId);
    if (!mayChange(skill, who)) throw notFound('skill');
  }
}
