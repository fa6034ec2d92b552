import { Injectable, Logger } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { Clock, rfc3339, sha256Hex, type Identity, mapGet } from '@aos/kernel';
import { Decisions, actorOf, type Decided } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import type { SessionAgent } from '../reading/agent-standing.js';
import { SessionCursors } from '../reading/session-cursors.js';
import type { SessionTarget } from '../reading/session-targets.js';
import { TurnReader } from '../reading/turn-reader.js';
import { TurnQueue } from '../running/turn-queue.js';
import type { Row, SessionEvent, TurnInputFacts, TurnRecord } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';
import { sessionWire, transcriptMessageWire, turnWire, type TranscriptMessageWire } from '../session/session.wire.js';
import { OutputContract } from '../turn/output-contract.js';
import type { StartTurn } from '../turn/start.decide.js';
import { checkInputContent } from '../turn/turn-input.js';
import { cappedPermissions } from '../turn/turn-principal.js';
import type { OutputSpecDto, TurnInputDto } from './turns.dto.js';

type TurnAckWire = Omit<Schema<'TurnAck'>, 'user_message'> & { user_message?: TranscriptMessageWire };

/** The acknowledgement of rule T2; `facts` serve the inline stream. */
export interface TurnAck {
  wire: TurnAckWire;
  sessionId: string;
  turnId: string;
  afterSequence: number;
}

/** A caller's turn as its route understood it. */
export interface Admission {
  who: Identity;
  agent: SessionAgent;
  target: SessionTarget;
  input: TurnInputDto;
  contentPath: string;
  reactivates: boolean;
  operation: Schema<'TurnOperationPolicy'> | undefined;
  output: OutputSpecDto | undefined;
  channelContext: Schema<'ChannelContext'> | undefined;
}

/** Admits a turn: one append at the exact revision, then the runner is told. */
@Injectable()
export class TurnAdmission {
  private readonly log = new Logger('turns');

  constructor(
    private readonly decisions: Decisions,
    private readonly turnQueue: TurnQueue,
    private readonly reader: TurnReader,
    private readonly cursors: SessionCursors,
    private readonly outputs: OutputContract,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts the turn, or answers a repeat as the first time.
   *
   * Refuses  what `startTurn` and the checks of its content and output schema refuse.
   */
  async admit(admission: Admission): Promise<TurnAck> {
    const { who, agent, target, input } = admission;
    const content = checkInputContent(input.content, admission.contentPath);
    await this.outputs.require(who, admission.output?.schema);
    const command: StartTurn = {
      now: rfc3339(this.clock.now()),
      open: target.open,
      reactivates: admission.reactivates,
      agent: { status: agent.standing, timeoutSeconds: agent.wire.timeout_seconds ?? 0 },
      idempotencyKey: input.idempotency_key ?? null,
      content,
      ...(content ? {} : { droppedBlocks: input.content.length }),
      metadata: admission.channelContext
        ? { ...input.metadata, channel_context: admission.channelContext }
        : (input.metadata ?? null),
      context: (input.context ?? []).map((item) => ({ ...item, digest: sha256Hex(item.content) })),
      operationTimeoutSeconds: admission.operation?.timeout_seconds ?? null,
      outputSchema: admission.output?.schema ?? null,
      principalId: who.principalId,
      principalKind: who.kind,
    };
    const { permissions } = cappedPermissions(who);
    if (permissions) command.principalPermissions = permissions;
    const decided = await this.decisions.decide(sessionDecider.startTurn, target.sessionId, actorOf(who), command, {
      isNew: target.isNew === true,
    });
    const ack = await this.acknowledge(who, target.sessionId, decided, input.idempotency_key);
    if (decided.events.length > 0) {
      if (!content) this.log.log(`dropped a message with a file block: session ${target.sessionId} turn ${ack.turnId}`);
      this.turnQueue.admitted(who.orgId, target.sessionId, ack.turnId);
    }
    return ack;
  }

  private async acknowledge(
    who: Identity,
    sessionId: string,
    decided: Decided<SessionState, SessionEvent>,
    key: string | undefined,
  ): Promise<TurnAck> {
    const session = sessionWire(decided.state, decided.revision, who);
    const agentId = decided.state.opening?.agent_id ?? '';
    const queued = decided.events.find((event) => event.type === 'TurnQueued');
    let turn: TurnRecord;
    let input: TurnInputFacts;
    let row: Row | undefined;
    if (queued) {
      ({ turn, input } = queued.data);
      row = decided.events.flatMap((event) => (event.type === 'MessageAppended' ? [event.data.row] : []))[0];
    } else {
      const ordinal = mapGet(decided.state.turnByKey, key?.trim() ?? '');
      if (ordinal === undefined) throw new Error('a repeat without its turn');
      ({ turn, input, row } = await this.reader.admitted(sessionId, decided.state, ordinal));
    }
    const wire: TurnAckWire = {
      session,
      turn: turnWire(turn),
      session_id: sessionId,
      turn_id: turn.id,
      status: turn.status,
      resume_cursor: this.cursors.seal(who.orgId, sessionId, input.resume_revision),
      after_sequence: input.after_sequence,
      deduped: !queued,
    };
    if (input.dropped_blocks !== undefined) wire.dropped_blocks = input.dropped_blocks;
    if (row) wire.user_message = transcriptMessageWire(row, sessionId, agentId);
    return { wire, sessionId, turnId: turn.id, afterSequence: input.after_sequence };
  }
}
