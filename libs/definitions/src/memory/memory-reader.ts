import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import {
  ReadStore,
  Refusal,
  badRequest,
  type CollectionPage,
  type Condition,
  type Identity,
  type QueryCursor,
} from '@aos/kernel';
import { OrganizationSalts } from '@aos/access/published';
import { CursorSeal, Decisions, pageLimitDefault, listScope, cursorFromText, cursorToText } from '@aos/platform';
import type { AgentDefinition } from '../agent/agent.events.js';
import { wordsOf } from '../row/row-tokens.state.js';
import type { MemoryEntry, MemoryKind } from './memory.events.js';
import { contextBytesDefault, memoryKeyPattern, partitionSoftCap } from './memory.limits.js';
import { memoryRows, partitionIndex, personPartition } from './memory.projection.js';
import { memoryKind, memoryStreamId } from './memory.state.js';
import { memoryText } from './memory-text.state.js';
import { partitionsOf, requirePartition } from './partition.decide.js';

const searchWordsMax = 8;
const countMax = 1_000_000;
const contextEntriesMax = 2 * partitionSoftCap;
const kinds: readonly MemoryKind[] = ['fact', 'preference', 'episode', 'summary'];

export interface MemoryPage {
  entries: MemoryEntry[];
  next_cursor: string | null;
}

/**
 * Memory for readers, within the partitions that they reach (rule R46). Whether the agent is within reach is asked
 * before.
 */
@Injectable()
export class MemoryReader {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly salts: OrganizationSalts,
    private readonly seal: CursorSeal,
  ) {}

  /** One entry, fresh; null when there is none. Refuses not_found for a partition out of reach. */
  async entry(who: Identity, agentId: string, userId: string, key: string): Promise<MemoryEntry | null> {
    requirePartition(who, userId);
    if (!memoryKeyPattern.test(key)) return null;
    const stream = memoryStreamId(await this.salts.of(who.orgId), agentId, userId, key);
    const { state, revision } = await this.decisions.load(memoryKind, stream);
    if (revision < 0) this.decisions.forget(memoryKind, stream);
    return state.entry;
  }

  /**
   * Entries of the partitions within reach, oldest first; with a query those that hold every word of it, each as the
   * beginning of a word of theirs.
   *
   * Refuses  memory_semantic_search_unavailable for modes that need an embedding provider (rule R34); invalid_cursor;
   *          not_found for a partition that is named and out of reach.
   */
  async list(
    who: Identity,
    agentId: string,
    {
      query,
      search_mode: mode = 'keyword',
      kind,
      user_id: userId,
      limit = pageLimitDefault,
      cursor,
    }: QueryOf<'listAgentMemoryEntries'>,
  ): Promise<MemoryPage> {
    const { orgId } = who;
    if (userId !== undefined) requirePartition(who, userId);
    const partitions = userId === undefined ? partitionsOf(who) : [userId];
    const isSearch = query !== undefined && query.trim() !== '';
    if (isSearch && mode !== 'keyword')
      throw new Refusal(
        'memory_semantic_search_unavailable',
        { search_mode: mode },
        'no embedding provider is configured: search by keyword',
      );
    const words = isSearch ? wordsOf(query, searchWordsMax) : [];
    if (isSearch && words.length === 0) return { entries: [], next_cursor: null };
    const where: Condition[] = words.map((word) => ({ index: 'words', startsWith: word }));
    if (kind !== undefined) where.push({ index: 'kind', eq: kind });
    where.push({ index: 'partition', in: partitions.map(partitionIndex) });
    const scope = listScope(orgId, `memory:${agentId}`, {
      query,
      mode,
      kind,
      user_id: userId,
      partitions: userId === undefined ? partitions.join(' ').trim() : undefined,
    });
    const after = cursor === undefined ? null : cursorFromText(this.seal.open(cursor, scope));
    const { rows, next } = await memoryRows.query(this.readStore, {
      scope: [orgId, agentId],
      where,
      orderBy: { index: 'created', direction: 'asc' },
      limit,
      ...(after ? { after } : {}),
    });
    return {
      entries: rows.map(({ doc }) => doc),
      next_cursor: next ? this.seal.seal(cursorToText(next), scope) : null,
    };
  }

  /** Counts over the partitions within reach (contract, `AgentMemory`). */
  async summary(who: Identity, agentId: string): Promise<Reply<'getAgentMemory'>> {
    const scope = [who.orgId, agentId];
    const reached: Condition = { index: 'partition', in: partitionsOf(who).map(partitionIndex) };
    const counts = await Promise.all(
      kinds.map(async (kind): Promise<[string, number]> => [
        kind,
        await memoryRows.count(this.readStore, { scope, where: [reached, { index: 'kind', eq: kind }] }, countMax),
      ]),
    );
    const present = counts.filter(([, count]) => count > 0);
    const {
      rows: [newest],
    } = await memoryRows.query(this.readStore, {
      scope,
      where: [reached],
      orderBy: { index: 'updated', direction: 'desc' },
      limit: 1,
    });
    const summary = {
      agent_id: agentId,
      entry_count: present.reduce((sum, [, count]) => sum + count, 0),
      counts_by_kind: Object.fromEntries(present),
    };
    return newest ? { ...summary, updated_at: newest.doc.updated_at } : summary;
  }

  /**
   * What a model is given of the memory, by the agent's policy: the shared partition and the person's (rules R36, R44).
   *
   * Gives    text, most important entries first, cut at whole entries; empty when no entry is shown.
   */
  async contextText(
    orgId: string,
    agentId: string,
    policy: Pick<AgentDefinition, 'memory_enabled' | 'memory_context'>,
    userId: string | null,
  ): Promise<string> {
    const mode = policy.memory_context?.mode ?? 'index';
    if (!policy.memory_enabled || mode === 'off') return '';
    const partitions = ['', ...(userId ? [userId] : [])].map(partitionIndex);
    const { rows } = await memoryRows.query(this.readStore, {
      scope: [orgId, agentId],
      where: [{ index: 'partition', in: partitions }],
      orderBy: { index: 'weight', direction: 'asc' },
      limit: contextEntriesMax,
    });
    return memoryText(
      rows.map(({ doc }) => doc),
      mode,
      policy.memory_context?.max_bytes ?? contextBytesDefault,
    );
  }

  /** How many entries a partition holds, up to `max`. */
  size(orgId: string, agentId: string, userId: string, max: number): Promise<number> {
    const where: Condition[] = [{ index: 'partition', eq: partitionIndex(userId) }];
    return memoryRows.count(this.readStore, { scope: [orgId, agentId], where }, max);
  }

  /** The people with a partition of this agent, by id, from behind the one given; up to `max`, at most 1000. */
  async people(orgId: string, agentId: string, after: string, max: number): Promise<string[]> {
    const people: string[] = [];
    for (let last = after; people.length < max; last = people.at(-1) ?? last) {
      const { rows } = await memoryRows.query(this.readStore, {
        scope: [orgId, agentId],
        where: [{ index: 'partition', gt: personPartition(last) }],
        orderBy: { index: 'partition', direction: 'asc' },
        limit: 1,
      });
      const [row] = rows;
      if (!row) break;
      people.push(row.doc.user_id);
    }
    return people;
  }

  /** Keys of a partition's entries, the oldest first, up to `max`. */
  async keys(orgId: string, agentId: string, userId: string, max: number): Promise<string[]> {
    const keys: string[] = [];
    let after: QueryCursor | null = null;
    do {
      const page: CollectionPage<MemoryEntry> = await memoryRows.query(this.readStore, {
        scope: [orgId, agentId],
        where: [{ index: 'partition', eq: partitionIndex(userId) }],
        orderBy: { index: 'created', direction: 'asc' },
        limit: Math.min(1000, max - keys.length),
        ...(after ? { after } : {}),
      });
      keys.push(...page.rows.map(({ doc }) => doc.key));
      after = page.next;
    } while (after && keys.length < max);
    return keys;
  }

  /** Entries of a partition in the order in which they leave: least important, then oldest; never a pinned one. */
  async leaving(orgId: string, agentId: string, userId: string, limit: number): Promise<MemoryEntry[]> {
    const found: MemoryEntry[] = [];
    let after: QueryCursor | null = null;
    do {
      const page: CollectionPage<MemoryEntry> = await memoryRows.query(this.readStore, {
        scope: [orgId, agentId],
        where: [{ index: 'partition', eq: partitionIndex(userId) }],
        orderBy: { index: 'leaving', direction: 'asc' },
        limit: Math.min(1000, limit),
        ...(after ? { after } : {}),
      });
      for (const { doc: entry } of page.rows) {
        if (entry.wire.pinned) return found; // those without a value of the index come last
        found.push(entry);
      }
      after = page.next;
    } while (after && found.length < limit);
    return found.slice(0, limit);
  }
}

/** The key of a path or a tool, or the refusal. */
export function requireMemoryKey(key: string): void {
  if (!memoryKeyPattern.test(key))
    throw badRequest([{ path: '/key', message: 'letters, digits and ._:-, at most 256 characters' }]);
}
