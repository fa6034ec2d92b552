import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply } from '@aos/contract';
import type { FastifyReply } from 'fastify';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ApproveProposal, DismissProposal } from './proposals.commands.js';
import { ProposalQueries } from './proposals.queries.js';

@Controller()
export class ProposalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: ProposalQueries,
  ) {}

  @Get('/v1/routines/proposals')
  list(
    @Who() who: Identity,
    @ContractQuery() filter: QueryOf<'listRoutineProposals'>,
  ): Promise<Reply<'listRoutineProposals'>> {
    return this.queries.list(who, filter);
  }

  /** 201 for the request that made the routine, 200 for a repeat. */
  @Post('/v1/routines/proposals/:proposal_id/approve')
  async approve(
    @Who() who: Identity,
    @Param('proposal_id') proposalId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'approveRoutineProposal'>> {
    const { routine, isNew } = await this.commands.execute(new ApproveProposal(who, { proposal_id: proposalId }));
    void reply.status(isNew ? 201 : 200);
    return routine;
  }

  @Post('/v1/routines/proposals/:proposal_id/dismiss')
  @HttpCode(200)
  dismiss(@Who() who: Identity, @Param('proposal_id') proposalId: string): Promise<Reply<'dismissRoutineProposal'>> {
    return this.commands.execute(new DismissProposal(who, { proposal_id: proposalId }));
  }
}
