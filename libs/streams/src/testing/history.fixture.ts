import { rfc3339, type JsonObject } from '@aos/kernel';
import {
  turnId,
  turnRowId,
  type Block,
  type LiveSignal,
  type NudgeRecord,
  type Row,
  type SessionEvent,
  type TurnRecord,
  type TurnStatus,
} from '@aos/sessions/published';
import { agentId, orgId, sessionId } from './streams.fixture.js';

const startMs = Date.UTC(2026, 0, 1);

/** Writes a session's past step by step: each call gives the events of one append. */
export class History {
  private sequence = 0;
  private ordinal = -1;
  private index = 0;
  private tick = 0;
  private turn: TurnRecord | null = null;

  get turnId(): string {
    return turnId(sessionId, this.ordinal);
  }
  get lastSequence(): number {
    return this.sequence;
  }
  /** Id of the row that the turn writes next. */
  get nextRowId(): string {
    return turnRowId(sessionId, this.ordinal, this.index);
  }
  get nextIndex(): number {
    return this.index;
  }

  opened(): SessionEvent[] {
    return [
      {
        type: 'SessionOpened',
        data: {
          session: {
            id: sessionId,
            org_id: orgId,
            agent_id: agentId,
            session_key: 'k',
            owner: { kind: 'team', id: null },
            visibility: 'organization',
            title: '',
            origin: 'api',
            compaction_policy: { strategy: 'auto', threshold: 'sm' },
            created_by: 'svc_1',
            created_at: this.now(),
          },
        },
      },
    ];
  }

  queued(text = 'hi', context = false): SessionEvent[] {
    this.ordinal += 1;
    this.index = 0;
    const events: SessionEvent[] = [];
    if (context) {
      const row = {
        ...this.row('user', [{ type: 'reminder', name: 'app-page', tier: 'contextual', content: text }]),
        turn_index: null,
        hidden: 'context' as const,
      };
      this.index -= 1;
      events.push({ type: 'ContextRecorded', data: { row, name: 'page', digest: String(this.sequence) } });
    }
    const row = this.row('user', [{ type: 'text', text }]);
    const now = this.now();
    this.turn = {
      id: this.turnId,
      agent_id: agentId,
      session_id: sessionId,
      attempt: 1,
      status: 'queued',
      phase: 'queued',
      seq: this.ordinal,
      effective_timeout_seconds: 600,
      created_at: now,
      updated_at: now,
    };
    return [
      ...events,
      { type: 'MessageAppended', data: { row } },
      {
        type: 'TurnQueued',
        data: {
          turn: this.turn,
          input: {
            idempotency_key: null,
            direct: true,
            origin: 'input',
            resume_revision: -1,
            after_sequence: row.sequence,
            input_sequence: row.sequence,
            principal_id: 'svc_1',
            principal_kind: 'service',
          },
        },
      },
    ];
  }

  claimed(): SessionEvent[] {
    return [{ type: 'TurnClaimed', data: { turn: this.at('running'), epoch: 1, runner: 'r' } }];
  }

  said(text: string): SessionEvent[] {
    return [{ type: 'MessageAppended', data: { row: this.row('assistant', [{ type: 'text', text }]) } }];
  }

  called(...callIds: string[]): SessionEvent[] {
    const content: Block[] = [
      { type: 'text', text: 'I call' },
      ...callIds.map((id) => ({ type: 'tool_use', id, name: 'tool', input: { id } })),
    ];
    const calls = callIds.map((id, index) => ({
      tool_call_id: id,
      name: 'tool',
      input: { id },
      content_index: index + 1,
      delivery_id: `dlv_${id}`,
    }));
    return [
      { type: 'MessageAppended', data: { row: this.row('assistant', content) } },
      { type: 'ToolCallsRequested', data: { turn_id: this.turnId, epoch: 1, calls } },
    ];
  }

  answered(callId: string, status: 'ok' | 'error' = 'ok'): SessionEvent[] {
    return [
      {
        type: 'ToolCallFinished',
        data: {
          turn_id: this.turnId,
          outcome: { tool_call_id: callId, status, content: 'done', is_error: status !== 'ok' },
        },
      },
    ];
  }

  results(...callIds: string[]): SessionEvent[] {
    const content = callIds.map((id): Block => ({
      type: 'tool_result',
      tool_use_id: id,
      content: 'done',
      is_error: false,
    }));
    return [{ type: 'MessageAppended', data: { row: this.row('user', content) } }];
  }

  partial(): SessionEvent[] {
    return [
      {
        type: 'MessageAppended',
        data: { row: { ...this.row('assistant', [{ type: 'text', text: 'half' }]), hidden: 'partial' } },
      },
    ];
  }

  ended(status: 'completed' | 'failed' | 'cancelled' = 'completed'): SessionEvent[] {
    const turn: TurnRecord = { ...this.at(status), completed_at: this.now() };
    if (status === 'completed')
      return [{ type: 'TurnCompleted', data: { turn: { ...turn, usage: { input_tokens: 3, calls: 1 } } } }];
    if (status === 'cancelled') return [{ type: 'TurnCancelled', data: { turn, reason: 'stop' } }];
    return [
      {
        type: 'TurnFailed',
        data: { turn: { ...turn, error_type: 'timeout', error_message: 'too slow', error_scope: 'agent_turn' } },
      },
    ];
  }

  parked(interactionId: string): SessionEvent[] {
    const turn: TurnRecord = {
      ...this.at('waiting'),
      wait: { kind: 'interaction', tool_call_id: 'c', interaction_id: interactionId },
    };
    return [{ type: 'TurnParked', data: { turn, epoch: 1, active_ms: 5 } }];
  }

  resumed(): SessionEvent[] {
    return [{ type: 'TurnResumed', data: { turn: this.at('queued'), reason: 'outcome' } }];
  }

  interaction(id: string, status: string): SessionEvent[] {
    return [
      {
        type: 'InteractionMirrored',
        data: { interaction: { id, status, title: 'May I?', updated_at: this.now() }, delivery_id: `${id}-${status}` },
      },
    ];
  }

  nudge(status: NudgeRecord['status'] = 'pending'): SessionEvent[] {
    const nudge: NudgeRecord = {
      id: 'nudge_00000000000000000000000001000000',
      status,
      delivery: 'current_turn',
      content: 'go',
      wake: false,
      turn: { id: this.turnId, status: 'running' },
      sender_principal_id: 'svc_1',
      created_at: this.now(),
    };
    if (status === 'delivered') return [{ type: 'NudgeDelivered', data: { nudge } }];
    if (status === 'cancelled') return [{ type: 'NudgeCancelled', data: { nudge } }];
    return [
      {
        type: 'NudgeQueued',
        data: { nudge, idempotency_key: null, digest: '', after_sequence: this.sequence, woke_turn: false },
      },
    ];
  }

  compacting(ofTurn = true): SessionEvent[] {
    return [{ type: 'CompactionStarted', data: { pass: this.pass(ofTurn) } }];
  }

  compactionFailed(): SessionEvent[] {
    return [
      {
        type: 'CompactionFailed',
        data: { pass: this.pass(true), error_type: 'timeout', error_message: 'late', at: this.now() },
      },
    ];
  }

  summarised(): SessionEvent[] {
    const covers = this.sequence;
    const row: Row = {
      ...this.row('compaction', [{ type: 'text', text: 'summary' }]),
      entry_type: 'compaction',
      turn_id: null,
      turn_index: null,
      covers_through_sequence: covers,
    };
    this.index -= 1;
    return [{ type: 'TranscriptSummarised', data: { pass: this.pass(true), row, usage: {} } }];
  }

  private pass(ofTurn: boolean) {
    return {
      trigger: 'auto' as const,
      turn_id: ofTurn ? this.turnId : null,
      started_at: rfc3339(startMs),
      deadline: rfc3339(startMs + 30_000),
      from_sequence: 1,
      through_sequence: 2,
      message_count: 2,
      estimated_tokens: 10,
      summary_model: 'm',
    };
  }

  private row(role: Row['role'], content: Block[]): Row {
    this.sequence += 1;
    const row: Row = {
      id: turnRowId(sessionId, this.ordinal, this.index),
      role,
      content,
      entry_type: 'message',
      sequence: this.sequence,
      turn_id: this.turnId,
      turn_index: this.index,
      created_at: this.now(),
    };
    if (role === 'compaction') row.id = `${row.id}s${this.sequence}`;
    this.index += 1;
    return row;
  }

  private at(status: TurnStatus): TurnRecord {
    const { wait: _, ...turn } = this.turn as TurnRecord;
    const phase = status === 'queued' || status === 'running' || status === 'waiting' ? status : null;
    this.turn = { ...turn, status, phase, updated_at: this.now() };
    return this.turn;
  }

  private now(): string {
    this.tick += 1;
    return rfc3339(startMs + this.tick);
  }
}

type SignalOf = LiveSignal extends infer S
  ? S extends LiveSignal
    ? Omit<S, 'turn_id' | 'live_sequence' | 'emitted_at'>
    : never
  : never;

/** Signals of the row that a history's turn writes next, numbered. */
export class Streaming {
  private sequence = 0;
  readonly messageId: string;
  readonly turnIndex: number;

  constructor(
    private readonly turn: string,
    history: History,
  ) {
    this.messageId = history.nextRowId;
    this.turnIndex = history.nextIndex;
  }

  started(): LiveSignal {
    return this.signal({
      type: 'row_started',
      message_id: this.messageId,
      turn_index: this.turnIndex,
      created_at: rfc3339(startMs),
      model: 'm',
    });
  }

  block(index: number, block: Block, closed = false): LiveSignal {
    return this.signal({
      type: closed ? 'block_closed' : 'block_opened',
      message_id: this.messageId,
      turn_index: this.turnIndex,
      content_index: index,
      block,
    });
  }

  delta(index: number, offset: number, text: string): LiveSignal {
    return this.signal({
      type: 'delta',
      message_id: this.messageId,
      turn_index: this.turnIndex,
      content_index: index,
      offset,
      text,
      delta_sequence: offset,
      model: 'm',
    });
  }

  tool(callId: string, contentIndex: number, progress?: JsonObject): LiveSignal {
    return this.signal({
      type: 'tool_call',
      message_id: this.messageId,
      content_index: contentIndex,
      tool_call_id: callId,
      tool_name: 'tool',
      input: {},
      ...(progress ? { progress } : {}),
    });
  }

  signal(signal: SignalOf): LiveSignal {
    this.sequence += 1;
    return { ...signal, turn_id: this.turn, live_sequence: this.sequence, emitted_at: rfc3339(startMs) } as LiveSignal;
  }
}
