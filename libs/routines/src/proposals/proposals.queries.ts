import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { Clock, rfc3339, type Identity } from '@aos/kernel';
import { CursorSeal, Decisions, listScope, pageLimitDefault, pageOf, positionOf } from '@aos/platform';
import { proposalKind, proposalsId } from '../proposal/proposal.state.js';
import { proposalWire } from '../proposal/proposal.wire.js';
import { ProposedRoutines } from './proposed-routines.js';

@Injectable()
export class ProposalQueries {
  constructor(
    private readonly decisions: Decisions,
    private readonly routines: ProposedRoutines,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
  ) {}

  /** Those made to the caller, newest first. An approval that a crash cut short is finished before it is shown. */
  async list(who: Identity, filter: QueryOf<'listRoutineProposals'>): Promise<Reply<'listRoutineProposals'>> {
    const { status, limit = pageLimitDefault } = filter;
    const streamId = proposalsId(who.orgId, who.principalId);
    const { state, revision } = await this.decisions.load(proposalKind, streamId);
    if (revision < 0) this.decisions.forget(proposalKind, streamId);
    const now = rfc3339(this.clock.now());
    const scope = listScope(who.orgId, 'routine_proposals', { ...filter, principal_id: who.principalId });
    const position = positionOf(this.seal, scope, filter.cursor);
    const rows = state.proposals
      .map((proposal) => ({ proposal, wire: proposalWire(proposal, now) }))
      .filter(({ wire, proposal }) => (status === undefined || wire.status === status) && isBefore(proposal, position))
      .sort((one, other) => (positionIn(one.proposal) < positionIn(other.proposal) ? 1 : -1))
      .slice(0, limit + 1);
    for (const { proposal } of rows.slice(0, limit)) await this.routines.finish(who, proposal);
    const { items, has_more, next_cursor } = pageOf(rows, limit, {
      seal: this.seal,
      scope,
      position: ({ proposal }) => positionIn(proposal),
      item: ({ wire }) => wire,
    });
    return { items: [...items], has_more, ...(next_cursor && { next_cursor }) };
  }
}

type Placed = { created_at: string; id: string };

function positionIn({ created_at, id }: Placed): string {
  return `${created_at} ${id}`;
}

function isBefore(proposal: Placed, position: string | null): boolean {
  return position === null || positionIn(proposal) < position;
}
