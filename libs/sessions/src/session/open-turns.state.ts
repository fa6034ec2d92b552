import type { OpenTurn, SessionState, PendingCall } from './session.state.js';

/** Turns of a session run one at a time, oldest first; a waiting one lets others run. */
export function nextToRun(session: SessionState): OpenTurn | null {
  let oldest: OpenTurn | null = null;
  for (const open of session.open.values()) {
    if (open.turn.status === 'running') return open;
    if (open.turn.status === 'queued' && (!oldest || open.ordinal < oldest.ordinal)) oldest = open;
  }
  return oldest;
}

/** Calls of the turn without an outcome. */
export function openCalls(open: OpenTurn): PendingCall[] {
  return open.pending.filter(({ outcome }) => outcome === null);
}

/** The turn's call of this id, as long as it has no outcome. */
export function openCall(open: OpenTurn, toolCallId: string): PendingCall | undefined {
  return open.pending.find(({ call, outcome }) => outcome === null && call.tool_call_id === toolCallId);
}
