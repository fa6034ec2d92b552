import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';
import { agentKind } from '../agent/agent.state.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { MemoryEntries } from '../memory/memory-entries.js';
import { memoryWire } from '../memory/memory.projection.js';
import { MemoryErasure } from '../memory-erasure/memory-erasure.js';

export class EraseMemory extends CallerCommand<
  { agent_id: string; user_id: string },
  Reply<'eraseAgentMemoryPartition'>
> {}

@CommandHandler(EraseMemory)
export class EraseMemoryHandler implements ICommandHandler<EraseMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly erasure: MemoryErasure,
  ) {}

  async execute({ who, input: { agent_id: agentId, user_id: userId } }: EraseMemory) {
    await this.streams.visible(agentKind, who, agentId);
    return this.erasure.erase(who, agentId, userId);
  }
}

export class PromoteMemory extends CallerCommand<
  { agent_id: string; key: string; body: RequestBody<'promoteAgentMemoryEntry'> },
  Reply<'promoteAgentMemoryEntry'>
> {}

@CommandHandler(PromoteMemory)
export class PromoteMemoryHandler implements ICommandHandler<PromoteMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  async execute({ who, input: { agent_id: agentId, key, body } }: PromoteMemory) {
    await this.streams.visible(agentKind, who, agentId);
    const wanted = { userId: body.user_id, replace: body.replace === true };
    return memoryWire(await this.entries.promote({ who, agentId, key }, wanted));
  }
}

export class RevertPromotion extends CallerCommand<{ agent_id: string; key: string }, null> {}

@CommandHandler(RevertPromotion)
export class RevertPromotionHandler implements ICommandHandler<RevertPromotion> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  async execute({ who, input: { agent_id: agentId, key } }: RevertPromotion) {
    await this.streams.visible(agentKind, who, agentId);
    await this.entries.revertPromotion({ who, agentId, key });
    return null;
  }
}
