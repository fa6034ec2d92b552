import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { notFound, type Identity } from '@aos/kernel';
import { agentKind } from '../agent/agent.state.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { MemoryChanges } from '../memory/memory-changes.js';
import { MemoryReader } from '../memory/memory-reader.js';
import { memoryWire } from '../memory/memory.projection.js';

@Injectable()
export class MemoryQueries {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly reader: MemoryReader,
    private readonly feed: MemoryChanges,
  ) {}

  async summary(who: Identity, agentId: string): Promise<Reply<'getAgentMemory'>> {
    await this.streams.visible(agentKind, who, agentId);
    return this.reader.summary(who, agentId);
  }

  async list(
    who: Identity,
    agentId: string,
    filter: QueryOf<'listAgentMemoryEntries'>,
  ): Promise<Reply<'listAgentMemoryEntries'>> {
    await this.streams.visible(agentKind, who, agentId);
    const { entries, next_cursor: next } = await this.reader.list(who, agentId, filter);
    const page = { items: entries.map(memoryWire), has_more: next !== null };
    return next === null ? page : { ...page, next_cursor: next };
  }

  async changes(
    who: Identity,
    agentId: string,
    page: QueryOf<'listAgentMemoryChanges'>,
  ): Promise<Reply<'listAgentMemoryChanges'>> {
    await this.streams.visible(agentKind, who, agentId);
    return this.feed.page(who, agentId, page);
  }

  /** `userId`: the partition; empty is the shared one. */
  async get(who: Identity, agentId: string, key: string, userId: string): Promise<Reply<'getAgentMemoryEntry'>> {
    await this.streams.visible(agentKind, who, agentId);
    const entry = await this.reader.entry(who, agentId, userId, key);
    if (!entry) throw notFound('memory entry');
    return memoryWire(entry);
  }
}
