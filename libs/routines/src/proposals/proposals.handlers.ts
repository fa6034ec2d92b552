import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, invalidArgument, notFound, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, ReleaseWrites, RulesPipe, actorOf } from '@aos/platform';
import { proposalDecider } from '../proposal.decider.js';
import type { ProposalRecord } from '../proposal/proposal.events.js';
import { pendingMs } from '../proposal/proposal.limits.js';
import {
  isPending,
  proposalId,
  proposalKind,
  proposalsId,
  proposedRoutineId,
  type ProposalState,
} from '../proposal/proposal.state.js';
import { proposalWire } from '../proposal/proposal.wire.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { NewRoutineChecks } from '../routines/new-routine-checks.js';
import { NewRoutines } from '../routines/new-routines.js';
import { CreateRoutineDto } from '../routines/routines.dto.js';
import { Addressees } from './addressees.js';
import { ApproveProposal, DismissProposal, ProposeRoutine } from './proposals.commands.js';
import { proposalOf } from './proposals.decide.js';
import { ProposedRoutines } from './proposed-routines.js';

/** The proposals to a caller. Refuses not_found for one that is none of them, before anything is written. */
async function own(
  decisions: Decisions,
  who: Identity,
  id: string,
): Promise<{ streamId: string; state: ProposalState }> {
  const streamId = proposalsId(who.orgId, who.principalId);
  const { state, revision } = await decisions.load(proposalKind, streamId);
  if (revision < 0) decisions.forget(proposalKind, streamId);
  proposalOf(state, id);
  return { streamId, state };
}

/**
 * Proposes a routine to the person whom the agent's turn acts for, else to the agent's owner.
 *
 * Refuses  what a request to make the routine would be refused with; invalid_argument {argument: owner_kind} for one of
 *          the team; conflict without a person to propose it to, and over 20 that wait.
 * Source   rule TE19.
 */
@CommandHandler(ProposeRoutine)
export class ProposeRoutineHandler implements ICommandHandler<ProposeRoutine> {
  private readonly rules = new RulesPipe(CreateRoutineDto);

  constructor(
    private readonly decisions: Decisions,
    private readonly routines: NewRoutines,
    private readonly addressees: Addressees,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input, deliveryId }: ProposeRoutine): Promise<Reply<'dismissRoutineProposal'>> {
    const { request, reason, session_id: sessionId } = input;
    if (deliveryId === null) throw new Error('a proposal needs a delivery id');
    const body = this.rules.transform(request);
    if (body.owner_kind === 'team')
      throw invalidArgument('owner_kind', 'a proposed routine belongs to the person that approves it');
    this.writes.requireFeature('routines');
    const personId = await this.addressees.of(who);
    const id = proposalId(who.orgId, deliveryId);
    // What is made here is not kept: it shows that the request is sound.
    const { act_as_user_providers: _persons, ...asked } = body; // that person alone sets them, by approving
    await this.routines.record(who, asked, { id: proposedRoutineId(id), owner: { kind: 'person', id: personId } });
    const nowMs = this.clock.now();
    const now = rfc3339(nowMs);
    const proposal: ProposalRecord = {
      id,
      org_id: who.orgId,
      session_id: sessionId,
      agent_id: who.principalId,
      proposed_to: personId,
      status: 'pending',
      reason: reason ?? null,
      payload: request,
      routine: null,
      created_at: now,
      expires_at: rfc3339(nowMs + pendingMs),
      closed_at: null,
    };
    const streamId = proposalsId(who.orgId, personId);
    const { state } = await this.decisions.decide(proposalDecider.proposeRoutine, streamId, actorOf(who), { proposal });
    return proposalWire(proposalOf(state, id), now);
  }
}

/**
 * Approves a proposal, then makes its routine. A crash between the two is made good by the next request that meets the
 * proposal.
 *
 * Refuses  not_found for a proposal to another person, and for an agent out of reach; conflict {status}; as
 *          `NewRoutines.record`; conflict {limit}.
 * Source   rule TE19.
 */
@CommandHandler(ApproveProposal)
export class ApproveProposalHandler implements ICommandHandler<ApproveProposal> {
  private readonly rules = new RulesPipe(CreateRoutineDto);

  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly routines: NewRoutines,
    private readonly checks: NewRoutineChecks,
    private readonly proposed: ProposedRoutines,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
  ) {}

  async execute({
    who,
    input: { proposal_id: id },
  }: ApproveProposal): Promise<{ routine: Reply<'approveRoutineProposal'>; isNew: boolean }> {
    const { streamId, state: seen } = await own(this.decisions, who, id);
    this.writes.requireFeature('routines');
    const now = rfc3339(this.clock.now());
    const known = proposalOf(seen, id);
    const routine = isPending(known, now) ? await this.wanted(who, known) : null;
    const command = { id, routine, now };
    const { state } = await this.decisions.decide(proposalDecider.approveProposal, streamId, actorOf(who), command);
    const made = await this.proposed.finish(who, proposalOf(state, id));
    if (!made) throw new Error(`${id} was not approved`);
    return { routine: await this.directory.view(who, made.routine), isNew: made.isNew };
  }

  private async wanted(who: Identity, { id, payload }: ProposalRecord): Promise<RoutineRecord> {
    if (!(await this.checks.reachable(who, payload.agent_id))) throw notFound('agent');
    const own = { id: proposedRoutineId(id), owner: { kind: 'person' as const, id: who.principalId } };
    const routine = await this.routines.record(who, this.rules.transform(payload), own);
    await this.checks.requireRoom(who.orgId);
    return routine;
  }
}

/** Refuses not_found for a proposal to another person. */
@CommandHandler(DismissProposal)
export class DismissProposalHandler implements ICommandHandler<DismissProposal> {
  constructor(
    private readonly decisions: Decisions,
    private readonly proposed: ProposedRoutines,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { proposal_id: id } }: DismissProposal): Promise<Reply<'dismissRoutineProposal'>> {
    const { streamId } = await own(this.decisions, who, id);
    this.writes.requireFeature('routines');
    const now = rfc3339(this.clock.now());
    const { state } = await this.decisions.decide(proposalDecider.dismissProposal, streamId, actorOf(who), { id, now });
    const proposal = proposalOf(state, id);
    await this.proposed.finish(who, proposal);
    return proposalWire(proposal, now);
  }
}
