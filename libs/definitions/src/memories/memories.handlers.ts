import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { CallerCommand } from '@aos/platform';
import { agentKind } from '../agent/agent.state.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
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
