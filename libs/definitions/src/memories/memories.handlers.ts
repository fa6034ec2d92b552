import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, RequestBody, Schema } from '@aos/contract';
import { StoreUnavailable } from '@aos/kernel';
import { CallerCommand } from '@aos/platform';
import { agentKind } from '../agent/agent.state.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { MemoryErasure } from '../memory-erasure/memory-erasure.js';
import { MemoryEntries } from '../memory/memory-entries.js';
import { memoryWire } from '../memory/memory.projection.js';

export class SaveMemory extends CallerCommand<
  { agent_id: string; key: string; body: RequestBody<'saveAgentMemoryEntry'> },
  { entry: Schema<'AgentMemoryEntry'>; created: boolean }
> {}

export class DeleteMemory extends CallerCommand<{ agent_id: string; key: string; user_id: string }, void> {}

export class EraseMemory extends CallerCommand<
  { agent_id: string; user_id: string },
  Reply<'eraseAgentMemoryPartition'>
> {}

@CommandHandler(SaveMemory)
export class SaveMemoryHandler implements ICommandHandler<SaveMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  async execute({ who, input: { agent_id: agentId, key, body } }: SaveMemory) {
    await this.streams.visible(agentKind, who, agentId);
    const { entry, created } = await this.entries.save(
      { who, agentId, userId: body.user_id ?? '', key, reason: 'api', deliveryId: null },
      body,
    );
    if (!entry) throw new StoreUnavailable('the entry was deleted in the same moment');
    return { entry: memoryWire(entry), created };
  }
}

@CommandHandler(DeleteMemory)
export class DeleteMemoryHandler implements ICommandHandler<DeleteMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  async execute({ who, input: { agent_id: agentId, key, user_id: userId } }: DeleteMemory): Promise<void> {
    await this.streams.visible(agentKind, who, agentId);
    await this.entries.delete({ who, agentId, userId, key, reason: 'api', deliveryId: null });
  }
}

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
