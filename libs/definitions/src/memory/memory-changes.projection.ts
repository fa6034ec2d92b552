import type { Schema } from '@aos/contract';
import { collection, upcastRecorded, type ReadRow, type RecordedEvent } from '@aos/kernel';
import { memoryEvents, type MemoryChangeEvent, type MemoryEvent } from './memory.events.js';

/**
 * The change feed of an agent's memory: scope organization and agent, keyed by position in the log, without content.
 */
export const changesCollection = 'memory_changes@2';
/** Prefixes of the streams that it reads. */
export const changedStreams = ['memory-'];
export const changeDocs = collection<Schema<'AgentMemoryChange'>>(changesCollection);
/** Versions before, of which nothing is kept. */
export const retiredChanges = ['memory_changes@1'];
/** Feeds there are: one row for each agent that had a change. */
export const feedsCollection = 'memory_change_feeds@1';
export const feedDocs = collection<{ org_id: string; agent_id: string }>(feedsCollection);
/** Scope of rows that belong to no organization. */
export const everywhere = ['-'];

const operations = {
  MemoryEntryCreated: 'created',
  MemoryEntryUpdated: 'updated',
  MemoryEntryDeleted: 'deleted',
} as const;

/** The row of one recorded event. */
export function changeRow(
  event: MemoryChangeEvent,
  { id, position, recordedAt }: { id: string; position: string; recordedAt: string },
): ReadRow {
  const { entry, reason, actor_id: actorId } = event.data;
  const doc = {
    id: `mch_${id.replaceAll('-', '')}`,
    agent_id: entry.agent_id,
    user_id: entry.user_id,
    memory_entry_id: entry.id,
    memory_key: entry.key,
    operation: operations[event.type],
    version: entry.version,
    reason,
    actor_id: actorId,
    created_at: recordedAt,
  };
  return changeDocs.row({
    scope: [entry.org_id, entry.agent_id],
    key: position,
    revision: 1,
    doc,
    index: { at: recordedAt },
  });
}

/** A change that is not kept any more. */
export function goneChange(scope: readonly string[], position: string): ReadRow {
  return changeDocs.row({ scope, key: position, revision: 2, doc: null, index: {} });
}

/** Says that an agent has a feed. */
export function changeFeedRow([orgId = '', agentId = '']: readonly string[]): ReadRow {
  return feedDocs.row({
    scope: everywhere,
    key: `${orgId}/${agentId}`,
    revision: 1,
    doc: { org_id: orgId, agent_id: agentId },
    index: {},
  });
}

/** The rows of recorded events, and of the feeds that they belong to. What was recorded before `keptFrom` has none. */
export function changeRows(events: readonly RecordedEvent[], keptFrom: string): ReadRow[] {
  const rows: ReadRow[] = [];
  const feeds = new Map<string, ReadRow>();
  for (const event of events) {
    const lifted = upcastRecorded(memoryEvents, event) as MemoryEvent;
    const recordedAt = event.meta.recorded_at ?? '';
    if (lifted.type === 'MemoryDeliveryNoted' || recordedAt < keptFrom) continue;
    const row = changeRow(lifted, { id: event.id, position: event.position, recordedAt });
    const feed = changeFeedRow(row.scope);
    feeds.set(feed.key, feed);
    rows.push(row);
  }
  return [...rows, ...feeds.values()];
}
