import { Injectable } from '@nestjs/common';
import { CommandGateway, notFound, type Identity, type JsonObject } from '@aos/kernel';
import type { AgentDefinition } from '../agent/agent.events.js';
import { memoryWire } from '../memory/memory.projection.js';
import { MemoryReader, requireMemoryKey, type MemoryFilter } from '../memory/memory-reader.js';
import type { DesiredMemory } from '../memory/memory.limits.js';

export const rememberCommand = 'memories.remember';
export const forgetCommand = 'memories.forget';

/** A partition of an agent's memory: the shared one (empty user id) or that of a person (rule R36). */
export interface MemoryPartition {
  agentId: string;
  userId: string;
}

/**
 * An agent's memory for its tools and its turns. Reads come from here; writes go to the service that owns the entries,
 * and a repeated delivery id is carried out once.
 */
@Injectable()
export class MemoryCommands {
  constructor(
    private readonly reader: MemoryReader,
    private readonly gateway: CommandGateway,
  ) {}

  /** Gives `{entry, created}`. Refuses bad_request. */
  remember(
    who: Identity,
    { agentId, userId }: MemoryPartition,
    key: string,
    desired: Omit<DesiredMemory, 'user_id'>,
    deliveryId: string,
  ): Promise<JsonObject> {
    const payload = { agent_id: agentId, user_id: userId, key, desired: { ...desired } } as JsonObject;
    return this.gateway.send({ name: rememberCommand, payload, identity: who, deliveryId });
  }

  /** Gives `{forgotten}`: false when there was no such entry. */
  forget(who: Identity, { agentId, userId }: MemoryPartition, key: string, deliveryId: string): Promise<JsonObject> {
    return this.gateway.send({
      name: forgetCommand,
      payload: { agent_id: agentId, user_id: userId, key },
      identity: who,
      deliveryId,
    });
  }

  /** One entry as the contract shows it: the person's own before the shared one. Refuses not_found. */
  async recallKey(who: Identity, { agentId, userId }: MemoryPartition, key: string): Promise<JsonObject> {
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
    filter: Pick<MemoryFilter, 'query' | 'search_mode' | 'kind' | 'limit'>,
  ): Promise<JsonObject> {
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
