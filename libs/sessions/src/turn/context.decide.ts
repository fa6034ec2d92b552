import type { Row } from '../session/session.events.js';
import { rowOutsideTurnsId } from '../session/session.ids.js';

export interface ContextItem {
  name: string;
  content: string;
  /** Digest of the exact UTF-8 bytes. */
  digest: string;
}

/** A context value as a hidden row; the prefix is always added (rule S28). */
export function contextRow(
  sessionId: string,
  sequence: number,
  turn: string | null,
  item: ContextItem,
  now: string,
): Row {
  return {
    id: rowOutsideTurnsId(sessionId, sequence),
    role: 'user',
    entry_type: 'message',
    sequence,
    turn_id: turn,
    turn_index: null,
    created_at: now,
    hidden: 'context',
    content: [{ type: 'reminder', name: `app-${item.name}`, tier: 'contextual', content: item.content }],
  };
}
