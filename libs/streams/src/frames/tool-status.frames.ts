import { withCallStatus, type Row, type SessionEvent } from '@aos/sessions/published';

/** Where a turn's tool call stands in the transcript, and how it ended. */
export interface CallPosition {
  messageId: string;
  contentIndex: number;
  turnId: string;
  /** `ok`, `error` or `cancelled`; null while the call is open. */
  outcome: string | null;
}

/** Tool calls of open turns by tool call id. Rows that come from elsewhere (no turn) are shown as they were given. */
export type CallPositions = Map<string, CallPosition>;

export interface CallPatch {
  messageId: string;
  contentIndex: number;
  status: string;
}

/**
 * How one event changes the status of tool calls that stand in final rows (rules F15, S39).
 *
 * Takes    the event and the calls so far, which it brings up to date.
 * Gives    the changes. A call that gets its result row without an outcome of its own was cancelled with its turn.
 */
export function callPatches(event: SessionEvent, calls: CallPositions): CallPatch[] {
  if (event.type === 'ToolCallFinished') {
    const { tool_call_id: id, status } = event.data.outcome;
    const position = calls.get(id);
    if (!position || position.outcome !== null) return [];
    position.outcome = status;
    return [{ messageId: position.messageId, contentIndex: position.contentIndex, status }];
  }
  if (event.type === 'TurnCompleted' || event.type === 'TurnFailed' || event.type === 'TurnCancelled') {
    for (const [id, { turnId }] of calls) if (turnId === event.data.turn.id) calls.delete(id);
    return [];
  }
  if (event.type !== 'MessageAppended' || event.data.row.turn_id === null) return [];
  const { row } = event.data;
  const patches: CallPatch[] = [];
  for (const [contentIndex, block] of row.content.entries()) {
    if (block.type === 'tool_use')
      calls.set(String(block.id), { messageId: row.id, contentIndex, turnId: String(row.turn_id), outcome: null });
    if (block.type !== 'tool_result') continue;
    const position = calls.get(String(block.tool_use_id));
    if (!position || position.outcome !== null) continue;
    position.outcome = 'cancelled';
    patches.push({ messageId: position.messageId, contentIndex: position.contentIndex, status: position.outcome });
  }
  return patches;
}

/** A turn's row as it is committed: its calls are running. */
export function withRunningCalls(row: Row): Row {
  return withCallStatus(row, () => null);
}
