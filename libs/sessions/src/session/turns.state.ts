import {
  appended,
  nothing,
  replacedAt,
  withEntry,
  type JsonObject,
  type PersistentList,
  type PersistentMap,
} from '@aos/kernel';
import type {
  CallJob,
  CompactionPass,
  Row,
  ToolCall,
  ToolOutcome,
  TurnInputFacts,
  TurnRecord,
  TurnWait,
  Usage,
} from './session.events.js';
import type { TranscriptState } from './transcript.state.js';
import { sumUsage } from './usage.state.js';

export interface PendingCall {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome | null;
  /** It goes on outside the turn. */
  readonly job?: CallJob;
  /** The question that it waits for while the turn waits. */
  readonly wait?: TurnWait;
  /**
   * How often the turn went back to the queue with the call unanswered: it may have been made each time. Absent: never.
   */
  readonly interruptions?: number;
}

export interface OpenTurn {
  readonly turn: TurnRecord;
  readonly ordinal: number;
  readonly input: TurnInputFacts;
  /** Counts claims; who holds a lower one commits nothing. */
  readonly epoch: number;
  readonly runner: string | null;
  /** Index of the turn's next row. */
  readonly nextIndex: number;
  /** Recorded model calls. */
  readonly calls: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  /** Active execution that is already spent, milliseconds. */
  readonly activeMs: number;
  /** Tool calls of the newest answer that await their results row, in order. */
  readonly pending: readonly PendingCall[];
  /** Structured output that was submitted and accepted. */
  readonly output: JsonObject | null;
  /** Skills that the turn invoked; absent: none. */
  readonly skills?: readonly string[];
  /** Sequence of the first row of the input. */
  readonly firstSequence: number;
  /** Estimate at which the turn's newest pass failed; absent: none did, or one succeeded since. */
  readonly failedPassTokens?: number;
}

/** Turns that are open, and where the others are recorded. */
export interface TurnsState {
  /** By turn ordinal: revisions of the turn's admission and of its final event (-1 while open). */
  readonly queuedAt: PersistentList<number>;
  readonly finalAt: PersistentList<number>;
  readonly open: ReadonlyMap<string, OpenTurn>;
  readonly turnByKey: PersistentMap<string, number>;
  /** Sequence of the last row of the newest final turn, and of the one before it: what a pass may cover (rule S23). */
  readonly finalRows: readonly number[];
  /** Set with the first call that went on outside its turn. */
  readonly hasJobs?: boolean;
}

type OpenTurns = Pick<TurnsState, 'open'>;

export const initialTurns: TurnsState = {
  queuedAt: nothing,
  finalAt: nothing,
  open: new Map(),
  turnByKey: nothing,
  finalRows: [],
};

export function queued(
  state: TurnsState & Pick<TranscriptState, 'sequence'>,
  { turn, input }: { turn: TurnRecord; input: TurnInputFacts },
  revision: number,
): Partial<TurnsState> {
  const { idempotency_key: key } = input;
  return {
    queuedAt: appended(state.queuedAt, revision),
    finalAt: appended(state.finalAt, -1),
    ...(key ? { turnByKey: withEntry(state.turnByKey, key, turn.seq) } : {}),
    open: new Map(state.open).set(turn.id, {
      turn,
      ordinal: turn.seq,
      input,
      epoch: 0,
      runner: null,
      nextIndex: input.input_sequence === null ? 0 : 1,
      calls: 0,
      toolCalls: 0,
      usage: {},
      activeMs: 0,
      pending: [],
      output: null,
      firstSequence: input.input_sequence ?? state.sequence + 1,
    }),
  };
}

/**
 * A row of an open turn. Results answer the calls that were pending. Content that is too large for the log is a
 * reference here: only what a model said and results are ever so large.
 */
export function turnRowAdded(state: OpenTurns, row: Row): Partial<TurnsState> {
  const open = row.turn_id ? state.open.get(row.turn_id) : undefined;
  if (!open || row.turn_index === null) return {};
  const hasResults = Array.isArray(row.content)
    ? row.content.some(({ type }) => type === 'tool_result')
    : row.role === 'user';
  return withOpen(state, { ...open, nextIndex: row.turn_index + 1, pending: hasResults ? [] : open.pending });
}

/** With `active_ms` a claim is only renewed: its turn stays as it was. */
export function claimed(
  state: OpenTurns,
  data: { turn: TurnRecord; epoch: number; runner: string; active_ms?: number },
): Partial<TurnsState> {
  const { turn, epoch, runner, active_ms: activeMs } = data;
  if (activeMs === undefined) return withOpen(state, { ...openOf(state, turn.id), turn, epoch, runner });
  const open = state.open.get(turn.id);
  return open ? withOpen(state, { ...open, activeMs }) : {};
}

export function requeued(
  state: OpenTurns,
  { turn, epoch, active_ms: activeMs }: { turn: TurnRecord; epoch: number; active_ms?: number },
): Partial<TurnsState> {
  const open = openOf(state, turn.id);
  const pending = open.pending.map((entry) =>
    entry.outcome === null && !entry.job ? { ...entry, interruptions: (entry.interruptions ?? 0) + 1 } : entry,
  );
  return withOpen(state, { ...open, turn, epoch, runner: null, activeMs: activeMs ?? open.activeMs, pending });
}

export function answered(
  state: OpenTurns,
  data: { turn_id: string; usage: Usage; active_ms: number },
): Partial<TurnsState> {
  const open = openOf(state, data.turn_id);
  return withOpen(state, {
    ...open,
    calls: open.calls + 1,
    usage: sumUsage(open.usage, data.usage),
    activeMs: data.active_ms,
    pending: [],
  });
}

/** The calls of an answer; many stand in several events. */
export function callsRequested(state: OpenTurns, turnId: string, calls: readonly ToolCall[]): Partial<TurnsState> {
  const open = openOf(state, turnId);
  const pending = calls.map((call) => ({ call, outcome: null }));
  return withOpen(state, { ...open, pending: [...open.pending, ...pending], toolCalls: open.toolCalls + calls.length });
}

export function callFinished(state: OpenTurns, turnId: string, outcome: ToolOutcome): Partial<TurnsState> {
  const open = state.open.get(turnId);
  if (!open) return {};
  return withOpen(state, {
    ...open,
    pending: withCall(open.pending, outcome.tool_call_id, { outcome }),
    ...(outcome.output ? { output: outcome.output } : {}),
    ...(outcome.skill_id ? { skills: [...new Set([...(open.skills ?? []), outcome.skill_id])] } : {}),
  });
}

export function jobStarted(
  state: OpenTurns,
  { turn_id: turnId, tool_call_id: callId, job }: { turn_id: string; tool_call_id: string; job: CallJob },
): Partial<TurnsState> {
  const open = state.open.get(turnId);
  return {
    hasJobs: true,
    ...(open ? withOpen(state, { ...open, pending: withCall(open.pending, callId, { job }) }) : {}),
  };
}

export function parked(
  state: OpenTurns,
  data: { turn: TurnRecord; active_ms: number; waits?: readonly TurnWait[] },
): Partial<TurnsState> {
  const { turn, active_ms: activeMs, waits = [] } = data;
  const open = openOf(state, turn.id);
  const pending = open.pending.map((entry) => {
    const wait = waits.find(({ tool_call_id: id }) => id === entry.call.tool_call_id);
    return wait ? { ...entry, wait } : entry;
  });
  return withOpen(state, { ...open, turn, runner: null, activeMs, pending });
}

export function resumed(state: OpenTurns, turn: TurnRecord): Partial<TurnsState> {
  return withOpen(state, { ...openOf(state, turn.id), turn });
}

export function ended(
  state: TurnsState & Pick<TranscriptState, 'sequence'>,
  turn: TurnRecord,
  revision: number,
): Partial<TurnsState> {
  const { ordinal } = openOf(state, turn.id);
  const open = new Map(state.open);
  open.delete(turn.id);
  return {
    open,
    finalAt: replacedAt(state.finalAt, ordinal, revision),
    finalRows: [...state.finalRows.slice(-1), state.sequence],
  };
}

/** What a turn knows of its failed pass keeps it from trying again too soon (rule S48). */
export function turnPassFailed(state: OpenTurns, pass: CompactionPass): Partial<TurnsState> {
  const open = state.open.get(pass.turn_id ?? '');
  return open ? withOpen(state, { ...open, failedPassTokens: pass.estimated_tokens }) : {};
}

/** The summary's model call counts for the turn that set the pass off. */
export function turnSummarised(state: OpenTurns, turnId: string | null, usage: Usage): Partial<TurnsState> {
  const open = state.open.get(turnId ?? '');
  if (!open) return {};
  const { failedPassTokens: _over, ...kept } = open;
  return withOpen(state, { ...kept, usage: sumUsage(open.usage, { ...usage, calls: 1 }) });
}

function openOf({ open }: OpenTurns, turnId: string): OpenTurn {
  const found = open.get(turnId);
  if (!found) throw new Error(`${turnId} is not open`);
  return found;
}

function withOpen({ open }: OpenTurns, turn: OpenTurn): OpenTurns {
  return { open: new Map(open).set(turn.turn.id, turn) };
}

function withCall(
  pending: readonly PendingCall[],
  callId: string,
  change: Partial<PendingCall>,
): readonly PendingCall[] {
  const at = pending.findIndex(({ call }) => call.tool_call_id === callId);
  const entry = pending[at];
  return entry ? pending.with(at, { ...entry, ...change }) : pending;
}

/** The open direct turn, if any (rule T22). */
export function openDirectTurn(state: OpenTurns): OpenTurn | null {
  for (const open of state.open.values()) if (open.input.direct) return open;
  return null;
}
