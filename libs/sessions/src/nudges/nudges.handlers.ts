import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, canonicalJson, rfc3339, sha256Hex, mapGet } from '@aos/kernel';
import { CallerCommand, Decisions, actorOf } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets } from '../reading/session-targets.js';
import { TurnQueue } from '../running/turn-queue.js';
import { parseSessionPart } from '../session/session.ids.js';
import { timeoutSecondsDefault } from '../session/session.limits.js';
import { sessionWire, turnWire } from '../session/session.wire.js';
import { TurnReader } from '../reading/turn-reader.js';
import type { NudgeDto } from './nudges.dto.js';
import { cappedPermissions } from '../turn/turn-principal.js';
import { NudgeReader, nudgeOrdinal } from '../reading/nudge-reader.js';

export class NudgeSession extends CallerCommand<{ session_id: string; body: NudgeDto }, Reply<'nudgeSession'>> {}

@CommandHandler(NudgeSession)
export class NudgeSessionHandler implements ICommandHandler<NudgeSession> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly targets: SessionTargets,
    private readonly turnQueue: TurnQueue,
    private readonly nudges: NudgeReader,
    private readonly turns: TurnReader,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { session_id: sessionId, body } }: NudgeSession): Promise<Reply<'nudgeSession'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const agent = await this.targets.agent(who, { id: state.opening?.agent_id ?? '' });
    const wake = body.wake ?? false;
    const command = {
      now: rfc3339(this.clock.now()),
      content: body.content,
      wake,
      idempotencyKey: body.idempotency_key ?? null,
      digest: sha256Hex(canonicalJson([body.content, wake])),
      metadata: body.metadata ?? null,
      senderPrincipalId: who.principalId,
      sender: { kind: who.kind, ...cappedPermissions(who) },
      agent: { status: agent.standing, timeoutSeconds: agent.wire.timeout_seconds || timeoutSecondsDefault },
    };
    const decided = await this.decisions.decide(sessionDecider.queueNudge, sessionId, actorOf(who), command);
    if (decided.events.length > 0) this.turnQueue.next(who.orgId, sessionId, decided.state);
    const session = sessionWire(decided.state, decided.revision, who);
    const queued = decided.events.find((event) => event.type === 'NudgeQueued');
    const ordinal = queued
      ? decided.state.nudgeCount - 1
      : mapGet(decided.state.nudgeByKey, command.idempotencyKey?.trim() ?? '')?.ordinal;
    if (ordinal === undefined) throw new Error('a repeat without its nudge');
    const admission = queued?.data ?? (await this.nudges.admission(sessionId, decided.state, ordinal));
    const nudge = queued?.data.nudge ?? (await this.nudges.record(sessionId, decided.state, ordinal));
    const target = parseSessionPart(nudge.turn.id, 'turn');
    const turn = await this.turns.turn(sessionId, decided.state, target?.ordinal ?? -1);
    return {
      nudge_id: nudge.id,
      delivery: admission.nudge.delivery,
      woke_turn: admission.woke_turn,
      status: nudge.status,
      session,
      turn: turnWire(turn),
      after_sequence: admission.after_sequence,
      deduped: !queued,
    };
  }
}

export class CancelNudge extends CallerCommand<{ session_id: string; nudge_id: string }, Reply<'cancelNudge'>> {}

@CommandHandler(CancelNudge)
export class CancelNudgeHandler implements ICommandHandler<CancelNudge> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly nudges: NudgeReader,
    private readonly clock: Clock,
  ) {}

  async execute({
    who,
    input: { session_id: sessionId, nudge_id: nudgeId },
  }: CancelNudge): Promise<Reply<'cancelNudge'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const ordinal = nudgeOrdinal(state, sessionId, nudgeId);
    const command = { nudgeId, now: rfc3339(this.clock.now()) };
    const decided = await this.decisions.decide(sessionDecider.cancelNudge, sessionId, actorOf(who), command);
    const nudge = await this.nudges.wire(sessionId, decided.state, ordinal);
    if (decided.events.length === 0)
      await this.decisions.decide(sessionDecider.cancelNudge, sessionId, actorOf(who), { ...command, settled: nudge });
    return nudge;
  }
}
