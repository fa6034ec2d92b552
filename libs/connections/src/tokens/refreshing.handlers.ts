import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RefreshConnection, type RefreshOutcome } from './refreshing.commands.js';
import { TokenRefreshes } from './token-refreshes.js';

@CommandHandler(RefreshConnection)
export class RefreshConnectionHandler implements ICommandHandler<RefreshConnection> {
  constructor(private readonly refreshes: TokenRefreshes) {}

  async execute({ who, input }: RefreshConnection): Promise<{ outcome: RefreshOutcome }> {
    return { outcome: await this.refreshes.refreshed(who.orgId, input.connection_id, input.stale) };
  }
}
