import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, notFound, rfc3339, sha256Hex, type Identity, type JsonObject, listAt, mapGet } from '@aos/kernel';
import { Decisions, actorOf, type Decided } from '@aos/platform';
import type { SessionAgent } from '../reading/agent-standing.js';
import type { Row, SessionEvent, TurnInputFacts, TurnRecord } from '../session/session.events.js';
import { SessionCursors } from '../reading/session-cursors.js';
import { parseSessionPart } from '../session/session.ids.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionWire, transcriptMessageWire, turnWire } from '../session/session.wire.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets, type SessionTarget } from '../reading/session-targets.js';
import { TurnQueue } from '../running/turn-queue.js';
import { startTurn, type StartTurn } from '../turn/start.decide.js';
import { cancelTurn } from '../turn/run.decide.js';
import { checkInputContent } from '../turn/turn-input.js';
import type { InvokeDto, OperationDto, OutputSpecDto, StartTurnDto, TurnInputDto } from './turns.dto.js';
import { OutputContract } from '../turn/output-contract.js';
import { TurnReader } from '../reading/turn-reader.js';
import { cappedPermissions } from '../turn/turn-principal.js';

/** The acknowledgement of rule T2; `facts` serve the inline stream. */
export interface TurnAck {
  wire: JsonObject;
  sessionId: string;
  turnId: string;
  afterSequence: number;
}

export class InvokeAgent extends Command<TurnAck> {
  constructor(
    readonly who: Identity,
    readonly body: InvokeDto,
  ) {
    super();
  }
}

export class StartSessionTurn extends Command<TurnAck> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly body: StartTurnDto,
  ) {
    super();
  }
}

interface Admission {
  who: Identity;
  agent: SessionAgent;
  target: SessionTarget;
  input: TurnInputDto;
  contentPath: string;
  reactivates: boolean;
  operation: OperationDto | undefined;
  output: OutputSpecDto | undefined;
  channelContext: JsonObject | undefined;
}

/** Admits a turn: one append at the exact revision, then the runner is told. */
export abstract class TurnAdmission {
  private readonly log = new Logger('turns');

  constructor(
    protected readonly decisions: Decisions,
    protected readonly targets: SessionTargets,
    protected readonly directory: SessionDirectory,
    protected readonly turnQueue: TurnQueue,
    protected readonly reader: TurnReader,
    protected readonly cursors: SessionCursors,
    protected readonly outputs: OutputContract,
    protected readonly clock: Clock,
  ) {}

  protected async admit(admission: Admission): Promise<TurnAck> {
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
    const decided = await this.decisions.run(
      sessionKind,
      target.sessionId,
      actorOf(who),
      (session, revision) => startTurn(command, session, revision),
      { isNew: target.isNew === true },
    );
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
    const wire: JsonObject = {
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

@CommandHandler(InvokeAgent)
export class InvokeAgentHandler extends TurnAdmission implements ICommandHandler<InvokeAgent> {
  constructor(
    decisions: Decisions,
    targets: SessionTargets,
    directory: SessionDirectory,
    turnQueue: TurnQueue,
    reader: TurnReader,
    cursors: SessionCursors,
    outputs: OutputContract,
    clock: Clock,
  ) {
    super(decisions, targets, directory, turnQueue, reader, cursors, outputs, clock);
  }

  async execute({ who, body }: InvokeAgent): Promise<TurnAck> {
    const agent = await this.targets.agent(who, body.agent_ref);
    return this.targets.resolving(who, agent, body.session ?? {}, (target) =>
      this.admit({
        who,
        agent,
        target,
        input: body.input,
        contentPath: '/input/content',
        reactivates: true,
        operation: body.operation,
        output: body.output,
        channelContext: body.channel_context,
      }),
    );
  }
}

@CommandHandler(StartSessionTurn)
export class StartSessionTurnHandler extends TurnAdmission implements ICommandHandler<StartSessionTurn> {
  constructor(
    decisions: Decisions,
    targets: SessionTargets,
    directory: SessionDirectory,
    turnQueue: TurnQueue,
    reader: TurnReader,
    cursors: SessionCursors,
    outputs: OutputContract,
    clock: Clock,
  ) {
    super(decisions, targets, directory, turnQueue, reader, cursors, outputs, clock);
  }

  async execute({ who, sessionId, body }: StartSessionTurn): Promise<TurnAck> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const agent = await this.targets.agent(who, { id: state.opening?.agent_id ?? '' });
    return this.admit({
      who,
      agent,
      target: { sessionId, open: null, isNew: false },
      input: body.input ?? body,
      contentPath: body.input ? '/input/content' : '/content',
      reactivates: false,
      operation: body.operation,
      output: body.output,
      channelContext: undefined,
    });
  }
}

export class CancelTurn extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly turnId: string,
  ) {
    super();
  }
}

@CommandHandler(CancelTurn)
export class CancelTurnHandler implements ICommandHandler<CancelTurn> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly reader: TurnReader,
    private readonly turnQueue: TurnQueue,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId, turnId }: CancelTurn): Promise<JsonObject> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const ordinal = ordinalOf(state, sessionId, turnId);
    const decided = await this.decisions.run(sessionKind, sessionId, actorOf(who), (session, revision) =>
      cancelTurn({ turnId, now: rfc3339(this.clock.now()), reason: 'requested' }, session, revision),
    );
    this.turnQueue.next(who.orgId, sessionId, decided.state);
    return turnWire(await this.reader.turn(sessionId, decided.state, ordinal));
  }
}

/** The ordinal of a turn of this session; 404 for any other id. */
export function ordinalOf(state: SessionState, sessionId: string, turnId: string): number {
  const parsed = parseSessionPart(turnId, 'turn');
  if (!parsed || parsed.sessionId !== sessionId || listAt(state.queuedAt, parsed.ordinal) === undefined)
    throw notFound('turn');
  return parsed.ordinal;
}
