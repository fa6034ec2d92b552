import type { JsonObject, Reply, RequestBody } from '@aos/client';
import { call, type ApiCall } from '../../../api/call';
import type { MemoryEntry } from './memory-kinds';

type Body = RequestBody<'saveAgentMemoryEntry'>;

/** What is written of an entry. */
export type EntryBody = {
  user_id: string;
  content: string;
  summary?: string;
  kind?: MemoryEntry['kind'];
  metadata?: JsonObject;
  importance?: number;
  pinned?: boolean;
};

export function savingEntry(
  agentId: string,
  key: string,
  body: EntryBody,
): ApiCall<Promise<Reply<'saveAgentMemoryEntry'>>> {
  return call('agents', 'saveMemoryEntry', agentId, key, body as Body);
}

/** An entry as a write of it would leave it. */
export function entryBodyOf({
  user_id,
  content = '',
  summary,
  kind,
  metadata,
  importance,
  pinned,
}: MemoryEntry): EntryBody {
  return {
    user_id,
    content,
    kind,
    importance,
    pinned,
    ...(summary !== undefined && { summary }),
    ...(metadata && { metadata: metadata as JsonObject }),
  };
}
