import type { Schema } from '@aos/contract';
import { CallerCommand, Routed } from '@aos/platform';
import type { DesiredMemory } from '../memory/memory.limits.js';

const text = { type: 'string' };

/** Names an entry by agent, partition (empty `user_id`: the shared one) and key. */
export type EntryKey = { agent_id: string; user_id: string; key: string };

/** From a tool of the agent, which sends it under a delivery id, or from the API. */
@Routed('memories.remember', {
  stream: 'memory',
  input: {
    type: 'object',
    required: ['agent_id', 'user_id', 'key', 'desired'],
    properties: { agent_id: text, user_id: text, key: text, desired: { type: 'object' } },
  },
})
export class Remember extends CallerCommand<
  EntryKey & { desired: DesiredMemory },
  { entry: Schema<'AgentMemoryEntry'>; created: boolean }
> {}

/** `forgotten`: false when there was no such entry. */
@Routed('memories.forget', {
  stream: 'memory',
  input: {
    type: 'object',
    required: ['agent_id', 'user_id', 'key'],
    properties: { agent_id: text, user_id: text, key: text },
  },
})
export class Forget extends CallerCommand<EntryKey, { forgotten: boolean }> {}
