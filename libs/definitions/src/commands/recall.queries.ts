import { Injectable } from '@nestjs/common';
import type { QueryOf, Schema } from '@aos/contract';
import { notFound, type Identity } from '@aos/kernel';
import type { AgentDefinition } from '../agent/agent.events.js';
import { memoryWire } from '../memory/memory.projection.js';
import { MemoryReader, requireMemoryKey } from '../memory/memory-reader.js';

/** A partition of an agent's memory: the shared one (empty user id) or that of a person (rule R36). */
export interface MemoryPartition {
  agentId: string;
  userId: string;
}

/** What an agent's tools and its turns read of its memory. */
@Injectable()
export class RecallQueries {
  constructor(private readonly reader: MemoryReader) {}

  /** One entry: the person's own before the shared one. Refuses not_found. */
  async recallKey(
    who: Identity,
    { agentId, userId }: MemoryPartition,
    key: string,
  ): Promise<Schema<'AgentMemoryEntry'>> {
    requireMemoryKey(key);
    const own = userId === '' ? null : await this.reader.entry(who, agentId, userId, key);
    const entry = own ?? (await this.reader.entry(who, agentId, '', key));
    if (!entry) throw notFound('memory entry');
    return memoryWire(entry);
  }

  /** Entries of the shared partition and the person's, by words of the query; a page of each, the person's first. */
  async recall(
    who: Identity,
    { agentId, userId }: MemoryPartition,
    filter: Pick<QueryOf<'listAgentMemoryEntries'>, 'query' | 'search_mode' | 'kind' | 'limit'>,
  ): Promise<{ items: Schema<'AgentMemoryEntry'>[] }> {
    const partitions = userId === '' ? [''] : [userId, ''];
    const pages = await Promise.all(
      partitions.map((partition) => this.reader.list(who, agentId, { ...filter, user_id: partition })),
    );
    return {
      items: pages
        .flatMap(({ entries }) => entries)
        .slice(0, filter.limit ?? 20)
        .map(memoryWire),
    };
  }

  /** Text for the model by the agent's policy (rule R44); empty when no entry is shown. */
  contextText(
    orgId: string,
    agentId: string,
    policy: Pick<AgentDefinition, 'memory_enabled' | 'memory_context'>,
    userId: string | null,
  ): Promise<string> {
    return this.reader.contextText(orgId, agentId, policy, userId);
  }
}
