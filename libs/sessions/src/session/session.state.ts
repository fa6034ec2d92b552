import { unreachable, type JsonObject, type StreamKind } from '@aos/kernel';
import {
  sessionEvents,
  type CallJob,
  type CompactionPass,
  type CompactionPolicy,
  type NudgeRecord,
  type NudgeSender,
  type OutcomeRecord,
  type Row,
  type SessionEvent,
  type SessionOpening,
  type ToolCall,
  type ToolOutcome,
  type TurnInputFacts,
  type TurnRecord,
  type TurnWait,
  type Usage,
} from './session.events.js';
import { passFailed, passStarted } from './compaction.state.js';
import { parseSessionPart } from './session.ids.js';
import { rowsPerMark, snapshotEvery } from './session.limits.js';
import { addTotals, sumUsage, type UsageTotals } from './usage.state.js';

export interface PendingCall {
  call: ToolCall;
  outcome: ToolOutcome | null;
  /** It goes on outside the turn. */
  job?: CallJob;
  /** The question that it waits for while the turn waits. */
  wait?: TurnWait;
  /**
   * How often the turn went back to the queue with the call unanswered: it may have been made each time. Absent: never.
   */
  interruptions?: number;
}

export interface OpenTurn {
  turn: TurnRecord;
  ordinal: number;
  input: TurnInputFacts;
  /** Counts claims; who holds a lower one commits nothing. */
  epoch: number;
  runner: string | null;
  /** Index of the turn's next row. */
  nextIndex: number;
  /** Recorded model calls. */
  calls: number;
  toolCalls: number;
  usage: Usage;
  /** Active execution that is already spent, milliseconds. */
  activeMs: number;
  /** Tool calls of the newest answer that await their results row, in order. */
  pending: PendingCall[];
  /** Structured output that was submitted and accepted. */
  output: JsonObject | null;
  /** Skills that the turn invoked; absent: none. */
  skills?: string[];
  /** Sequence of the first row of the input. */
  firstSequence: number;
  /** Estimate at which the turn's newest pass failed; absent: none did, or one succeeded since. */
  failedPassTokens?: number;
}

export interface SessionState {
  /** Null until the session is opened. */
  opening: SessionOpening | null;
  status: 'active' | 'archived' | 'deleted';
  title: string;
  metadata: JsonObject | null;
  compactionPolicy: CompactionPolicy;
  thinkingEffort: string | null;
  updatedAt: string;
  lastMessageAt: string | null;
  /** Highest sequence. */
  sequence: number;
  messageCount: number;
  /** Sparse index: [sequence, revision] of every rowsPerMark-th row. */
  marks: [number, number][];
  /** By turn ordinal: revisions of the turn's admission and of its final event (-1 while open). */
  queuedAt: number[];
  finalAt: number[];
  open: Map<string, OpenTurn>;
  turnByKey: Map<string, number>;
  /** Context name -> digest of the value that the model's window holds. */
  context: ReadonlyMap<string, { digest: string; sequence: number }>;
  nudgeCount: number;
  pendingNudges: NudgeRecord[];
  /** By id of a pending nudge; absent for nudges from before it was recorded. */
  nudgeSenders?: ReadonlyMap<string, NudgeSender>;
  nudgeByKey: ReadonlyMap<string, { ordinal: number; digest: string }>;
  /** By nudge ordinal: revision of its admission, and of its newest event. */
  nudgeQueuedAt: number[];
  nudgeAt: number[];
  /** Outcomes that wait for a safe boundary of an open turn. */
  pendingOutcomes: { outcome: OutcomeRecord; turnId: string }[];
  totals: UsageTotals;
  model: string | null;
  modelProvider: string | null;
  pass: CompactionPass | null;
  /** The last pass that failed, until one succeeds. */
  passFailure: { error_type: string; at: string } | null;
  summary: { message_id: string; sequence: number; covers_through_sequence: number } | null;
  /** First sequence that the model's window needs: behind the summary, or a row that it left as it is. */
  windowFrom: number;
  /** Sequence of the last row of the newest final turn, and of the one before it: what a pass may cover (rule S23). */
  finalRows: number[];
  /** Open interactions asked from here, whole. */
  interactions: ReadonlyMap<string, JsonObject>;
  /** Delivery ids of mirrored changes and outcomes that were applied, the newest 256. */
  applied: string[];
  /** Set with the first call that went on outside its turn. */
  hasJobs?: boolean;
}

/** Shared empty map for entries that most sessions never have: a session gets its own map with its first entry. */
const none: ReadonlyMap<string, never> = new Map<string, never>();

export const sessionKind: StreamKind<SessionState, SessionEvent> = {
  category: 'session',
  events: sessionEvents,
  stateVersion: 2,
  snapshotEvery,
  notifies: true,
  initial: () => ({
    opening: null,
    status: 'active',
    title: '',
    metadata: null,
    compactionPolicy: { strategy: 'auto', threshold: 'sm' },
    thinkingEffort: null,
    updatedAt: '',
    lastMessageAt: null,
    sequence: 0,
    messageCount: 0,
    marks: [],
    queuedAt: [],
    finalAt: [],
    open: new Map(),
    turnByKey: new Map(),
    context: none,
    nudgeCount: 0,
    pendingNudges: [],
    nudgeByKey: none,
    nudgeQueuedAt: [],
    nudgeAt: [],
    pendingOutcomes: [],
    totals: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    model: null,
    modelProvider: null,
    pass: null,
    passFailure: null,
    summary: null,
    windowFrom: 1,
    finalRows: [],
    interactions: none,
    applied: [],
  }),
  evolve,
};

function evolve(state: SessionState, event: SessionEvent, revision: number): SessionState {
  switch (event.type) {
    case 'SessionOpened':
      return opened(state, event.data.session);
    case 'TitleChanged':
      state.title = event.data.title;
      state.updatedAt = event.data.at;
      return state;
    case 'MetadataReplaced':
      state.metadata = event.data.metadata;
      state.updatedAt = event.data.at;
      return state;
    case 'CompactionPolicyChanged':
      state.compactionPolicy = event.data.compaction_policy;
      state.updatedAt = event.data.at;
      return state;
    case 'ThinkingEffortChanged':
      state.thinkingEffort = event.data.thinking_effort;
      state.updatedAt = event.data.at;
      return state;
    case 'SessionArchived':
      state.status = 'archived';
      state.updatedAt = event.data.at;
      return state;
    case 'SessionReactivated':
      state.status = 'active';
      state.updatedAt = event.data.at;
      return state;
    case 'SessionDeleted':
      state.status = 'deleted';
      state.updatedAt = event.data.at;
      return state;
    case 'MessageAppended':
      return withRow(state, event.data.row, revision);
    case 'ContextRecorded':
      state.context = withEntry(state.context, event.data.name, {
        digest: event.data.digest,
        sequence: event.data.row.sequence,
      });
      return withRow(state, event.data.row, revision);
    case 'CountersAdded':
      addTotals(state.totals, event.data.usage);
      if (event.data.model) state.model = event.data.model;
      if (event.data.model_provider) state.modelProvider = event.data.model_provider;
      return state;
    case 'TurnQueued':
      return queued(state, event.data.turn, event.data.input, revision);
    case 'TurnClaimed':
      return claimed(state, event.data);
    case 'TurnRequeued':
      return requeued(state, event.data);
    case 'ModelAnswered':
      return answered(state, event.data);
    case 'ToolCallsRequested':
      return requested(state, event.data.turn_id, event.data.calls);
    case 'ToolCallFinished':
      return finished(state, event.data.turn_id, event.data.outcome);
    case 'ToolJobStarted':
      return jobStarted(state, event.data.turn_id, event.data.tool_call_id, event.data.job);
    case 'TurnParked':
      return withOpen(state, event.data.turn, (open) => {
        parked(open, event.data);
      });
    case 'TurnResumed':
      return withOpen(state, event.data.turn, () => undefined);
    case 'TurnCompleted':
    case 'TurnFailed':
    case 'TurnCancelled':
      return final(state, event.data.turn, revision);
    case 'NudgeQueued':
      return nudgeQueued(state, event.data, revision);
    case 'NudgeRetargeted':
      state.pendingNudges = state.pendingNudges.map((pending) =>
        pending.id === event.data.nudge.id ? event.data.nudge : pending,
      );
      state.nudgeAt[nudgeOrdinal(event.data.nudge.id)] = revision;
      return state;
    case 'OutcomeReceived':
      return outcomeReceived(state, event.data.outcome, event.data.turn_id);
    case 'OutcomeDelivered':
      state.pendingOutcomes = state.pendingOutcomes.filter(
        ({ outcome }) => outcome.delivery_id !== event.data.delivery_id,
      );
      return state;
    case 'NudgeDelivered':
    case 'NudgeCancelled':
      return nudgeSettled(state, event.data.nudge, revision);
    case 'CompactionStarted':
      return passStarted(state, event.data.pass);
    case 'CompactionFailed':
      return passFailed(state, event.data);
    case 'TranscriptSummarised':
      return summarised(state, event.data, revision);
    case 'InteractionMirrored':
      return mirrored(state, event.data.interaction, event.data.delivery_id);
    default:
      return unreachable(event);
  }
}

function opened(state: SessionState, session: SessionOpening): SessionState {
  state.opening = session;
  state.status = 'active';
  state.title = session.title;
  state.metadata = session.metadata ?? null;
  state.compactionPolicy = session.compaction_policy;
  state.thinkingEffort = session.thinking_effort ?? null;
  state.updatedAt = session.created_at;
  return state;
}

function withRow(state: SessionState, row: Row, revision: number): SessionState {
  if (state.sequence % rowsPerMark === 0) state.marks = pushed(state.marks, [row.sequence, revision]);
  state.sequence = row.sequence;
  state.updatedAt = later(state.updatedAt, row.created_at);
  if (row.hidden === undefined) {
    state.messageCount += 1;
    state.lastMessageAt = later(state.lastMessageAt ?? state.opening?.created_at ?? '', row.created_at);
  }
  const open = row.turn_id ? state.open.get(row.turn_id) : undefined;
  if (open && row.turn_index !== null) {
    open.nextIndex = row.turn_index + 1;
    if (row.content.some(({ type }) => type === 'tool_result')) open.pending = [];
  }
  return state;
}

/** An imported row may be older than the session: its times never go back (rules S42, S46). */
function later(one: string, other: string): string {
  return one > other ? one : other;
}

function queued(state: SessionState, turn: TurnRecord, input: TurnInputFacts, revision: number): SessionState {
  const ordinal = turn.seq;
  state.queuedAt = pushed(state.queuedAt, revision);
  state.finalAt = pushed(state.finalAt, -1);
  if (input.idempotency_key) state.turnByKey.set(input.idempotency_key, ordinal);
  state.open.set(turn.id, {
    turn,
    ordinal,
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
  });
  state.updatedAt = turn.created_at;
  return state;
}

function withOpen(state: SessionState, turn: TurnRecord, change: (open: OpenTurn) => void): SessionState {
  const open = state.open.get(turn.id);
  if (!open) throw new Error(`${turn.id} is not open`);
  open.turn = turn;
  change(open);
  state.updatedAt = turn.updated_at;
  return state;
}

function claimed(
  state: SessionState,
  { turn, epoch, runner, active_ms: activeMs }: { turn: TurnRecord; epoch: number; runner: string; active_ms?: number },
): SessionState {
  if (activeMs === undefined)
    return withOpen(state, turn, (open) => {
      open.epoch = epoch;
      open.runner = runner;
    });
  const open = state.open.get(turn.id);
  if (open) open.activeMs = activeMs;
  return state;
}

function requeued(
  state: SessionState,
  { turn, epoch, active_ms: activeMs }: { turn: TurnRecord; epoch: number; active_ms?: number },
): SessionState {
  return withOpen(state, turn, (open) => {
    open.epoch = epoch;
    open.runner = null;
    open.activeMs = activeMs ?? open.activeMs;
    interrupted(open);
    abandonPass(state, turn.id);
  });
}

function answered(
  state: SessionState,
  data: { turn_id: string; usage: Usage; model: string; provider: string; active_ms: number },
): SessionState {
  const open = state.open.get(data.turn_id);
  if (!open) throw new Error(`${data.turn_id} is not open`);
  open.calls += 1;
  open.usage = sumUsage(open.usage, data.usage);
  open.activeMs = data.active_ms;
  addTotals(state.totals, data.usage);
  state.model = data.model;
  state.modelProvider = data.provider;
  return state;
}

function requested(state: SessionState, turnId: string, calls: ToolCall[]): SessionState {
  const open = state.open.get(turnId);
  if (!open) throw new Error(`${turnId} is not open`);
  open.pending = calls.map((call) => ({ call, outcome: null }));
  open.toolCalls += calls.length;
  return state;
}

function finished(state: SessionState, turnId: string, outcome: ToolOutcome): SessionState {
  const open = state.open.get(turnId);
  const entry = open?.pending.find(({ call }) => call.tool_call_id === outcome.tool_call_id);
  if (entry) entry.outcome = outcome;
  if (open && outcome.output) open.output = outcome.output;
  if (open && outcome.skill_id) open.skills = [...new Set([...(open.skills ?? []), outcome.skill_id])];
  return state;
}

function jobStarted(state: SessionState, turnId: string, toolCallId: string, job: CallJob): SessionState {
  const entry = state.open.get(turnId)?.pending.find(({ call }) => call.tool_call_id === toolCallId);
  if (entry) entry.job = job;
  state.hasJobs = true;
  return state;
}

function parked(open: OpenTurn, { active_ms: activeMs, waits = [] }: { active_ms: number; waits?: TurnWait[] }): void {
  open.runner = null;
  open.activeMs = activeMs;
  for (const entry of open.pending) {
    const wait = waits.find(({ tool_call_id: id }) => id === entry.call.tool_call_id);
    if (wait) entry.wait = wait;
  }
}

/** A pass ends with the claim of the turn that set it off: a runner with an earlier claim commits no summary. */
function abandonPass(state: SessionState, turnId: string): void {
  if (state.pass?.turn_id === turnId) state.pass = null;
}

function interrupted(open: OpenTurn): void {
  for (const entry of open.pending)
    if (entry.outcome === null && !entry.job) entry.interruptions = (entry.interruptions ?? 0) + 1;
}

function final(state: SessionState, turn: TurnRecord, revision: number): SessionState {
  const open = state.open.get(turn.id);
  if (!open) throw new Error(`${turn.id} is not open`);
  state.open.delete(turn.id);
  state.finalAt[open.ordinal] = revision;
  state.updatedAt = turn.updated_at;
  state.finalRows = [...state.finalRows.slice(-1), state.sequence];
  return state;
}

function nudgeQueued(
  state: SessionState,
  data: Extract<SessionEvent, { type: 'NudgeQueued' }>['data'],
  revision: number,
): SessionState {
  const { nudge, idempotency_key: key, digest, sender } = data;
  const ordinal = state.nudgeCount;
  state.nudgeCount += 1;
  state.nudgeQueuedAt[ordinal] = revision;
  state.nudgeAt[ordinal] = revision;
  if (nudge.status === 'pending') {
    state.pendingNudges.push(nudge);
    if (sender) state.nudgeSenders = withEntry(state.nudgeSenders ?? none, nudge.id, sender);
  }
  if (key) state.nudgeByKey = withEntry(state.nudgeByKey, key, { ordinal, digest });
  state.updatedAt = nudge.created_at;
  return state;
}

function nudgeSettled(state: SessionState, nudge: NudgeRecord, revision: number): SessionState {
  state.pendingNudges = state.pendingNudges.filter(({ id }) => id !== nudge.id);
  if (state.nudgeSenders?.has(nudge.id)) removeEntry(state.nudgeSenders, nudge.id);
  state.nudgeAt[nudgeOrdinal(nudge.id)] = revision;
  return state;
}

function outcomeReceived(state: SessionState, outcome: OutcomeRecord, turnId: string | null): SessionState {
  if (turnId) state.pendingOutcomes.push({ outcome, turnId });
  state.applied = [...state.applied.slice(-255), outcome.delivery_id];
  return state;
}

function summarised(
  state: SessionState,
  { pass, row, usage }: { pass: CompactionPass; row: Row; usage: Usage },
  revision: number,
): SessionState {
  const through = row.covers_through_sequence ?? 0;
  state.pass = null;
  state.passFailure = null;
  state.summary = { message_id: row.id, sequence: row.sequence, covers_through_sequence: through };
  state.windowFrom = Math.min(through + 1, ...(pass.keeps ?? []));
  for (const [name, { sequence }] of state.context) if (sequence <= through) removeEntry(state.context, name);
  addTotals(state.totals, usage);
  const open = state.open.get(row.turn_id ?? '');
  if (open) {
    open.usage = sumUsage(open.usage, { ...usage, calls: 1 });
    delete open.failedPassTokens;
  }
  return withRow(state, row, revision);
}

function mirrored(
  state: SessionState,
  interaction: JsonObject & { id: string; status: string },
  deliveryId: string,
): SessionState {
  if (interaction.status === 'pending' || interaction.status === 'in_review') {
    state.interactions = withEntry(state.interactions, interaction.id, interaction);
  } else {
    removeEntry(state.interactions, interaction.id);
  }
  state.applied = [...state.applied.slice(-255), deliveryId];
  return state;
}

function withEntry<V>(map: ReadonlyMap<string, V>, name: string, value: V): ReadonlyMap<string, V> {
  return map === none ? new Map([[name, value]]) : (map as Map<string, V>).set(name, value);
}

function removeEntry(map: ReadonlyMap<string, unknown>, name: string): void {
  (map as Map<string, unknown>).delete(name);
}

/** A list that is pushed to makes room for sixteen more, and most sessions are short. */
function pushed<V>(list: V[], value: V): V[] {
  if (list.length === 0) return [value];
  list.push(value);
  return list;
}

function nudgeOrdinal(id: string): number {
  const parsed = parseSessionPart(id, 'nudge');
  if (!parsed) throw new Error(`${id} is no nudge id`);
  return parsed.ordinal;
}

/** The open direct turn, if any (rule T22). */
export function openDirectTurn(state: SessionState): OpenTurn | null {
  for (const open of state.open.values()) if (open.input.direct) return open;
  return null;
}
