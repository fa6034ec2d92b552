import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, idPart, rfc3339 } from '@aos/kernel';
import { CallerCommand, Decisions, actorOf } from '@aos/platform';
import { organizationDecider } from '../organization.decider.js';
import { contextView } from './context.wire.js';

export class ReplaceContext extends CallerCommand<RequestBody<'replaceOrgContext'>, Schema<'OrgContext'>> {}

@CommandHandler(ReplaceContext)
export class ReplaceContextHandler implements ICommandHandler<ReplaceContext> {
  constructor(
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { content } }: ReplaceContext): Promise<Schema<'OrgContext'>> {
    const command = { content, at: rfc3339(this.clock.now()) };
    const { replaceContext } = organizationDecider;
    return contextView((await this.decisions.decide(replaceContext, idPart(who.orgId), actorOf(who), command)).state);
  }
}
