import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { StoreUnavailable, notFound, type Identity, type JsonObject } from '@aos/kernel';
import { visibleAgent } from '../agents/agents.handlers.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { MemoryChanges } from '../memory/memory-changes.js';
import { MemoryErasure } from '../memory-erasure/memory-erasure.js';
import { MemoryEntries } from '../memory/memory-entries.js';
import { MemoryReader, type MemoryFilter } from '../memory/memory-reader.js';
import { memoryWire } from '../memory/memory.projection.js';
import type { DesiredMemory } from '../memory/memory.limits.js';

export interface SavedMemory {
  entry: JsonObject;
  created: boolean;
}

export class SaveMemory extends Command<SavedMemory> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
    readonly key: string,
    readonly body: DesiredMemory,
  ) {
    super();
  }
}

export class DeleteMemory extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
    readonly key: string,
    readonly userId: string,
  ) {
    super();
  }
}

export class GetMemory extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
    readonly key: string,
    readonly userId: string,
  ) {
    super();
  }
}

export class ListMemory extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
    readonly filter: MemoryFilter,
  ) {
    super();
  }
}

export class SummarizeMemory extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
  ) {
    super();
  }
}

export class ListMemoryChanges extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
    readonly page: { after?: string; limit?: number },
  ) {
    super();
  }
}

export class EraseMemory extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly agentId: string,
    readonly userId: string,
  ) {
    super();
  }
}

@CommandHandler(SaveMemory)
export class SaveMemoryHandler implements ICommandHandler<SaveMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  async execute({ who, agentId, key, body }: SaveMemory): Promise<SavedMemory> {
    await visibleAgent(this.streams, who, agentId);
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

  async execute({ who, agentId, key, userId }: DeleteMemory): Promise<void> {
    await visibleAgent(this.streams, who, agentId);
    await this.entries.delete({ who, agentId, userId, key, reason: 'api', deliveryId: null });
  }
}

@QueryHandler(GetMemory)
export class GetMemoryHandler implements IQueryHandler<GetMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly reader: MemoryReader,
  ) {}

  async execute({ who, agentId, key, userId }: GetMemory): Promise<JsonObject> {
    await visibleAgent(this.streams, who, agentId);
    const entry = await this.reader.entry(who, agentId, userId, key);
    if (!entry) throw notFound('memory entry');
    return memoryWire(entry);
  }
}

@QueryHandler(ListMemory)
export class ListMemoryHandler implements IQueryHandler<ListMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly reader: MemoryReader,
  ) {}

  async execute({ who, agentId, filter }: ListMemory): Promise<JsonObject> {
    await visibleAgent(this.streams, who, agentId);
    const { entries, next_cursor: next } = await this.reader.list(who, agentId, filter);
    const page: JsonObject = { items: entries.map(memoryWire), has_more: next !== null };
    if (next !== null) page.next_cursor = next;
    return page;
  }
}

@QueryHandler(SummarizeMemory)
export class SummarizeMemoryHandler implements IQueryHandler<SummarizeMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly reader: MemoryReader,
  ) {}

  async execute({ who, agentId }: SummarizeMemory): Promise<JsonObject> {
    await visibleAgent(this.streams, who, agentId);
    return this.reader.summary(who, agentId);
  }
}

@QueryHandler(ListMemoryChanges)
export class ListMemoryChangesHandler implements IQueryHandler<ListMemoryChanges> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly changes: MemoryChanges,
  ) {}

  async execute({ who, agentId, page }: ListMemoryChanges): Promise<JsonObject> {
    await visibleAgent(this.streams, who, agentId);
    return this.changes.page(who, agentId, page);
  }
}

@CommandHandler(EraseMemory)
export class EraseMemoryHandler implements ICommandHandler<EraseMemory> {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly erasure: MemoryErasure,
  ) {}

  async execute({ who, agentId, userId }: EraseMemory): Promise<JsonObject> {
    await visibleAgent(this.streams, who, agentId);
    return this.erasure.erase(who, agentId, userId);
  }
}
