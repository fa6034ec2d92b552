import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import { Clock, idPart, rfc3339 } from '@aos/kernel';
import { CallerCommand, Decisions, actorOf } from '@aos/platform';
import { organizationDecider } from '../organization.decider.js';

export class ReplaceReturnOrigins extends CallerCommand<
  RequestBody<'replaceOAuthReturnOrigins'>,
  Reply<'replaceOAuthReturnOrigins'>
> {}

@CommandHandler(ReplaceReturnOrigins)
export class ReplaceReturnOriginsHandler implements ICommandHandler<ReplaceReturnOrigins> {
  constructor(
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { origins } }: ReplaceReturnOrigins): Promise<Reply<'replaceOAuthReturnOrigins'>> {
    const command = { origins, at: rfc3339(this.clock.now()) };
    const { replaceReturnOrigins } = organizationDecider;
    const { state } = await this.decisions.decide(replaceReturnOrigins, idPart(who.orgId), actorOf(who), command);
    return { origins: [...state.returnOrigins] };
  }
}
