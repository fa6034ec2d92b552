import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { StoreUnavailable } from '@aos/kernel';
import { agentKind } from '../agent/agent.state.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import type { MemoryReason } from '../memory/memory.events.js';
import { MemoryEntries } from '../memory/memory-entries.js';
import { memoryWire } from '../memory/memory.projection.js';
import { requireMemoryKey } from '../memory/memory-reader.js';
import { Forget, Remember } from './remembering.commands.js';

@CommandHandler(Remember)
export class RememberHandler implements ICommandHandler<Remember> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  async execute({ who, input, deliveryId }: Remember) {
    const { user_id: userId, key, desired } = input;
    const { id: agentId } = await this.streams.visible(agentKind, who, input.agent_id);
    const context = { who, agentId, userId, key, reason: reasonOf(deliveryId), deliveryId };
    const { entry, created } = await this.entries.save(context, desired);
    if (!entry) throw new StoreUnavailable('the entry was deleted in the same moment');
    return { entry: memoryWire(entry), created };
  }
}

@CommandHandler(Forget)
export class ForgetHandler implements ICommandHandler<Forget> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  async execute({ who, input, deliveryId }: Forget) {
    const { user_id: userId, key } = input;
    const { id: agentId } = await this.streams.visible(agentKind, who, input.agent_id);
    requireMemoryKey(key);
    const context = { who, agentId, userId, key, reason: reasonOf(deliveryId), deliveryId };
    return { forgotten: await this.entries.delete(context) };
  }
}

/** Only what a tool sends has a delivery id. */
function reasonOf(deliveryId: string | null): MemoryReason {
  return deliveryId === null ? 'api' : 'remembered';
}
