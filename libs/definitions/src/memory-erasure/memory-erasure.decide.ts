import type { MemoryErasureEvent } from './memory-erasure.state.js';

/** Records that the erasure of a partition was asked for: each time, also when the erasure before broke off. */
export function askForErasure({
  orgId,
  agentId,
  userId,
  at,
}: {
  orgId: string;
  agentId: string;
  userId: string;
  at: string;
}): MemoryErasureEvent[] {
  return [{ type: 'MemoryPartitionErased', data: { org_id: orgId, agent_id: agentId, user_id: userId, at } }];
}
