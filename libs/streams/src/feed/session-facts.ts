import type { CompactionPass, SessionEvent, SessionState, TurnRecord } from '@aos/sessions/published';

/** What deciding about frames and closing needs to know of a session; follows the stream event by event. */
export interface SessionFacts {
  /** Open turns: the record as it stands, the index of the next row and the tool calls without an outcome. */
  open: Map<string, { turn: TurnRecord; nextIndex: number; calls: ReadonlySet<string> }>;
  /** The compaction pass that runs, if any. */
  pass: CompactionPass | null;
  deleted: boolean;
}

/** Copies what is needed from a folded state, which its cache may change at the next await. */
export function factsOf(state: SessionState): SessionFacts {
  const open: SessionFacts['open'] = new Map();
  for (const [id, { turn, nextIndex, pending }] of state.open) {
    const calls = new Set(pending.filter(({ outcome }) => outcome === null).map(({ call }) => call.tool_call_id));
    open.set(id, { turn, nextIndex, calls });
  }
  return { open, pass: state.pass, deleted: state.status === 'deleted' };
}

/** Brings the facts up to date by one event. */
export function advance(facts: SessionFacts, event: SessionEvent): void {
  switch (event.type) {
    case 'TurnQueued':
      facts.open.set(event.data.turn.id, {
        turn: event.data.turn,
        nextIndex: event.data.input.input_sequence === null ? 0 : 1,
        calls: new Set(),
      });
      return;
    case 'TurnClaimed':
    case 'TurnRequeued':
    case 'TurnParked':
    case 'TurnResumed': {
      const open = facts.open.get(event.data.turn.id);
      if (open) open.turn = event.data.turn;
      return;
    }
    case 'TurnCompleted':
    case 'TurnFailed':
    case 'TurnCancelled':
      facts.open.delete(event.data.turn.id);
      return;
    case 'MessageAppended': {
      const { row } = event.data;
      const open = row.turn_id ? facts.open.get(row.turn_id) : undefined;
      if (open && row.turn_index !== null) open.nextIndex = row.turn_index + 1;
      if (open && row.content.some(({ type }) => type === 'tool_result')) open.calls = new Set();
      return;
    }
    case 'ToolCallsRequested': {
      const open = facts.open.get(event.data.turn_id);
      if (open) open.calls = new Set(event.data.calls.map(({ tool_call_id: id }) => id));
      return;
    }
    case 'ToolCallFinished': {
      const open = facts.open.get(event.data.turn_id);
      if (open) open.calls = new Set([...open.calls].filter((id) => id !== event.data.outcome.tool_call_id));
      return;
    }
    case 'CompactionStarted':
      facts.pass = event.data.pass;
      return;
    case 'CompactionFailed':
    case 'TranscriptSummarised':
      facts.pass = null;
      return;
    case 'SessionDeleted':
      facts.deleted = true;
      return;
    default:
      return;
  }
}

/** Settled: no turn is open and no pass that a turn set off still runs (rule F10). */
export function isIdle(facts: SessionFacts, nowMs: number): boolean {
  if (facts.open.size > 0) return false;
  const { pass } = facts;
  return pass === null || pass.turn_id === null || nowMs >= Date.parse(pass.deadline);
}
