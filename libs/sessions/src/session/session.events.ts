import type { Schema } from '@aos/contract';
import { defineEvents, event, type EventOf, type JsonObject } from '@aos/kernel';

/** A transcript block as stored and sent: the contract's `ContentBlock`. */
export type Block = JsonObject & { type: string };

export type RowRole = 'system' | 'user' | 'assistant' | 'tool' | 'compaction';

/** A stored transcript row; wire names. */
export type Row = {
  id: string;
  role: RowRole;
  content: Block[];
  entry_type: string;
  sequence: number;
  turn_id: string | null;
  /** Order inside the turn; null for rows outside one. */
  turn_index: number | null;
  covers_through_sequence?: number;
  metadata?: JsonObject;
  created_at: string;
  /** Why the row is not shown without being asked for. */
  hidden?: 'context' | 'partial';
  /** Files of the service that blocks refer to by their address: a model is given the file, not the address. */
  files?: RowFile[];
};

/** A block of a row, and the file that its address names (rule TE8). */
export type RowFile = { index: number; artifact_id: string };

export type TurnStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';

/** Sums over model calls; zero counters are left out (rules TT12, TT13). */
export type Usage = {
  input_tokens?: number;
  output_tokens?: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
  reasoning_tokens?: number;
  calls?: number;
};

export type TurnWait = {
  kind: string;
  tool_call_id: string;
  interaction_id?: string;
  event_type?: string;
  expires_at?: string;
};

/**
 * The contract's `AgentTurn`, whole in every event that changes it: a frame or a read needs no more than the last one.
 */
export type TurnRecord = {
  id: string;
  agent_id: string;
  session_id: string;
  attempt: number;
  status: TurnStatus;
  phase: 'queued' | 'running' | 'waiting' | null;
  seq: number;
  error_type?: string;
  error_message?: string;
  error_scope?: 'agent_turn';
  usage?: Usage;
  output?: JsonObject;
  output_source?: 'tool' | 'text';
  wait?: TurnWait;
  routine_name?: string;
  /** The exchange that it answers a message of. */
  channel_exchange_id?: string;
  effective_timeout_seconds: number;
  created_at: string;
  updated_at: string;
  completed_at?: string;
};

export type CompactionPolicy = {
  strategy: 'auto' | 'manual' | 'disabled';
  threshold?: 'xs' | 'sm' | 'md' | 'lg' | 'xl';
  threshold_tokens?: number;
  summary_model?: string;
};

export type Retention = { mode: 'standard' | 'bounded'; ttl_seconds?: number };

/** The fields that are fixed or set when the session opens. */
export type SessionOpening = {
  id: string;
  org_id: string;
  agent_id: string;
  session_key: string;
  owner: { kind: 'person' | 'team'; id: string | null };
  visibility: 'private' | 'organization';
  title: string;
  origin: string;
  model_override?: string;
  compaction_policy: CompactionPolicy;
  retention?: Retention;
  thinking_effort?: Schema<'ThinkingEffort'>;
  metadata?: JsonObject;
  /** Opened by browser tokens of one end user: hash of the key's principal and that end user. */
  end_user?: string;
  created_by: string;
  created_at: string;
  /** Owner or audience changed since: the changes of its agent's audience that did, the newest ones. Absent: never. */
  custody_changes?: string[];
};

export type NudgeRecord = {
  id: string;
  status: 'pending' | 'delivered' | 'cancelled';
  delivery: 'current_turn' | 'new_turn';
  content: string;
  wake: boolean;
  turn: { id: string; status: TurnStatus };
  sender_principal_id: string;
  metadata?: JsonObject;
  created_at: string;
  delivered_at?: string | null;
  cancelled_at?: string | null;
};

/** The outcome of an interaction on its way into the transcript (rules S31, S32). */
export type OutcomeRecord = {
  interaction_id: string;
  delivery_id: string;
  content: Block[];
  metadata: JsonObject;
  /**
   * Principal that the turn it may start belongs to: the session's owner, else the organization's own; of those from
   * before rule A33 the one that asked.
   */
  principal_id: string;
  principal_kind: string;
  /** The most that the principal may do in that turn; absent: all that it may. */
  principal_permissions?: string[];
};

/** Who sent a nudge, beyond its record: what the turn that it may start acts with. */
export type NudgeSender = {
  kind: string;
  /** Of a key with a cap: what it may do. */
  permissions?: string[];
};

export type ToolCall = {
  tool_call_id: string;
  /** Name the model saw. */
  name: string;
  input: JsonObject;
  /** Place of the call's block in its row. */
  content_index: number;
  /** Same on every attempt and after every crash. */
  delivery_id: string;
  resolved_action?: { name: string; input: JsonObject };
};

export type ToolOutcome = {
  tool_call_id: string;
  status: 'ok' | 'error' | 'cancelled';
  content: string | Block[];
  is_error: boolean;
  /** A structured output that the turn's contract accepted. */
  output?: JsonObject;
  /** The skill that the call invoked: it narrows what the turn may call from here on (rule R19). */
  skill_id?: string;
  /** Application context that the action's reply brought; digests of the exact UTF-8 bytes (rule INV4). */
  context?: { name: string; content: string; digest: string }[];
};

/** A call that goes on outside its turn, as it is recorded before its first byte leaves. */
export type CallJob = {
  /** From 1; one more each time it is sent again because the process that made the call is gone. */
  attempt: number;
  /** How often it may be sent again. */
  resends: number;
  /** How long an attempt may take in all, milliseconds. */
  timeout_ms: number;
  /** When this attempt is given up. */
  deadline: string;
  /** The endpoint took the call and brings the result itself (rule TE81): no process carries it out any more. */
  deferred?: true;
};

export type CompactionPass = {
  trigger: 'auto' | 'manual' | 'append';
  turn_id: string | null;
  started_at: string;
  deadline: string;
  from_sequence: number;
  through_sequence: number;
  message_count: number;
  estimated_tokens: number;
  summary_model: string;
  /** Sequences up to `through_sequence` of rows that stay as they are. Absent: none. */
  keeps?: number[];
};

/** How a turn came about and where its input stands; kept with `TurnQueued`. */
export type TurnInputFacts = {
  idempotency_key: string | null;
  /** Started by invoke, turn start, or a nudge that became a turn (rule T22). */
  direct: boolean;
  origin: 'input' | 'nudge' | 'outcome' | 'routine' | 'message';
  /** Revision before the first event of the admission: where a v2 reader begins. */
  resume_revision: number;
  /** Sequence of the input row, or the highest at admission when it was dropped (rule T4). */
  after_sequence: number;
  /** Sequence of the stored input row; null when it was dropped. */
  input_sequence: number | null;
  /** The principal that the turn runs for. */
  principal_id: string;
  principal_kind: string;
  /** The most that its principal may do in this turn (rule A34); absent: all that it may. */
  principal_permissions?: string[];
  output_schema?: JsonObject;
  /** The agent's time for a turn, where the operation named another. Absent: the turn has the agent's. */
  agent_timeout_seconds?: number;
  /** The routine's run that it is. */
  occurrence_id?: string;
  /** Blocks of a message that was dropped for its `file` block. Absent: none was, or it was before this was counted. */
  dropped_blocks?: number;
};

/** All events of a session: one stream `session-<id>`, ordered by its revision. */
export const sessionEvents = defineEvents({
  SessionOpened: event<{ session: SessionOpening }>(1),
  TitleChanged: event<{ title: string; at: string }>(1),
  MetadataReplaced: event<{ metadata: JsonObject; at: string }>(1),
  CompactionPolicyChanged: event<{ compaction_policy: CompactionPolicy; at: string }>(1),
  ThinkingEffortChanged: event<{ thinking_effort: Schema<'ThinkingEffort'> | null; at: string }>(1),
  SessionArchived: event<{ at: string }>(1),
  SessionReactivated: event<{ at: string }>(1),
  SessionDeleted: event<{ at: string }>(1),
  MessageAppended: event<{ row: Row }>(1),
  ContextRecorded: event<{ row: Row; name: string; digest: string }>(1),
  CountersAdded: event<{ usage: Usage; model?: string; model_provider?: string }>(1),
  TurnQueued: event<{ turn: TurnRecord; input: TurnInputFacts }>(1),
  /**
   * With `active_ms` the runner renews its claim: a sign of life that counts what is spent by then. Nothing else
   * changes.
   */
  TurnClaimed: event<{ turn: TurnRecord; epoch: number; runner: string; active_ms?: number }>(1),
  /** `active_ms`: what is spent when a runner gives the turn back; absent: as known before. */
  TurnRequeued: event<{ turn: TurnRecord; epoch: number; active_ms?: number }>(1),
  ModelAnswered: event<{
    turn_id: string;
    epoch: number;
    call: number;
    usage: Usage;
    model: string;
    provider: string;
    active_ms: number;
  }>(1),
  ToolCallsRequested: event<{ turn_id: string; epoch: number; calls: ToolCall[] }>(1, {}, { records: 'calls' }),
  ToolCallFinished: event<{ turn_id: string; outcome: ToolOutcome }>(1),
  ToolJobStarted: event<{ turn_id: string; tool_call_id: string; job: CallJob }>(1),
  /** The endpoint brings the result itself, until the job's deadline. */
  ToolJobDeferred: event<{ turn_id: string; tool_call_id: string; job: CallJob }>(1, {}, { since: 'actions' }),
  /** `waits`: the questions that calls of the turn wait for; absent: the one that the turn shows, if it is one. */
  TurnParked: event<{ turn: TurnRecord; epoch: number; active_ms: number; waits?: TurnWait[] }>(1),
  TurnResumed: event<{ turn: TurnRecord; reason: string }>(1),
  TurnCompleted: event<{ turn: TurnRecord }>(1),
  TurnFailed: event<{ turn: TurnRecord }>(1),
  TurnCancelled: event<{ turn: TurnRecord; reason: string }>(1),
  NudgeQueued: event<{
    nudge: NudgeRecord;
    idempotency_key: string | null;
    digest: string;
    after_sequence: number;
    woke_turn: boolean;
    sender?: NudgeSender;
  }>(1),
  NudgeRetargeted: event<{ nudge: NudgeRecord }>(1),
  NudgeDelivered: event<{ nudge: NudgeRecord }>(1),
  NudgeCancelled: event<{ nudge: NudgeRecord }>(1),
  OutcomeReceived: event<{ outcome: OutcomeRecord; turn_id: string | null }>(1),
  OutcomeDelivered: event<{ interaction_id: string; delivery_id: string }>(1),
  CompactionStarted: event<{ pass: CompactionPass }>(1),
  CompactionFailed: event<{ pass: CompactionPass; error_type: string; error_message: string; at: string }>(1),
  TranscriptSummarised: event<{ pass: CompactionPass; row: Row; usage: Usage }>(1),
  /** `change_id`: the change of its agent's audience that it came with; null: the ownership operation. */
  CustodyChanged: event<{
    owner: SessionOpening['owner'];
    visibility: SessionOpening['visibility'];
    change_id: string | null;
    at: string;
  }>(1, {}, { since: 'ownership' }),
  InteractionMirrored: event<{ interaction: JsonObject & { id: string; status: string }; delivery_id: string }>(1),
});

export type SessionEvent = EventOf<typeof sessionEvents>;
