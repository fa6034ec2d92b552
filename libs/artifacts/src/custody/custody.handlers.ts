import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Schema } from '@aos/contract';
import { Clock, idPart, notFound, rfc3339, type CustodyCommand, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { ActivePrincipals } from '@aos/access/published';
import { custodyAfter, postureFor } from '@aos/definitions/published';
import type { CustodyJudge } from '../artifact/artifact.decide.js';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { live, type ArtifactState } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { ChangeArtifactCustody } from './custody.commands.js';

@CommandHandler(ChangeArtifactCustody)
export class ChangeArtifactCustodyHandler implements ICommandHandler<ChangeArtifactCustody> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: ArtifactDirectory,
    private readonly principals: ActivePrincipals,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found; what `changeArtifactCustody` and `custodyAfter` refuse. */
  async execute({ who, input: { artifact_id: id, change, judge_only: isJudgedOnly } }: ChangeArtifactCustody) {
    const seen = await this.directory.find(who.orgId, id);
    const record = seen && live(seen);
    if (!record) throw notFound('artifact');
    if (record.session_id !== null) await this.requireOwnSession(who, id);
    const judged = await this.withOwner(record, change);
    const command = { ...judged, judge: judgeOf(who, judged), at: rfc3339(this.clock.now()), by: who.principalId };
    if (isJudgedOnly) {
      artifactDecider.changeArtifactCustody.decide(command, seen, 0);
      return custodyWire(seen, who);
    }
    const { state } = await this.decisions.decide(
      artifactDecider.changeArtifactCustody,
      idPart(id),
      actorOf(who),
      command,
    );
    return custodyWire(state, who);
  }

  /** Another person's session is out of reach with its files. */
  private async requireOwnSession(who: Identity, id: string): Promise<void> {
    const { custody } = await this.directory.visible(who, id);
    if (custody.owner.kind === 'person' && custody.owner.id !== who.principalId) throw notFound('artifact');
  }

  private async withOwner({ org_id: orgId, owner }: ArtifactRecord, change: CustodyCommand): Promise<CustodyCommand> {
    if (change.basis.kind !== 'transfer') return change;
    const isGone = await this.principals.isOwnerGone(orgId, owner);
    return { ...change, basis: { kind: 'transfer', owner_is_gone: isGone } };
  }
}

function judgeOf(who: Identity, change: CustodyCommand): CustodyJudge {
  return (record) => {
    const { owner, visibility } = custodyAfter({ ...record, type: 'artifact', members: [] }, change, who);
    return { owner, visibility: visibility === 'private' ? 'private' : 'organization' };
  };
}

function custodyWire(state: ArtifactState, who: Identity): Schema<'ResourceOwnershipState'> {
  const record = live(state);
  if (!record) throw notFound('artifact');
  const { owner, visibility, container } = record;
  return { owner: { ...owner }, visibility, container, posture: postureFor({ ...record, members: [] }, who) };
}
