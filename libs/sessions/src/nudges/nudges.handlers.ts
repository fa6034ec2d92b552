import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  Clock,
  Refusal,
  canonicalJson,
  notFound,
  rfc3339,
  sha256Hex,
  type Identity,
  type JsonObject,
  mapGet,
} from '@aos/kernel';
import { CursorSeal, Decisions, pageLimitDefault, actorOf, listScope, positionOf } from '@aos/platform';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets } from '../reading/session-targets.js';
import { TurnQueue } from '../running/turn-queue.js';
import { parseSessionPart } from '../session/session.ids.js';
import { timeoutSecondsDefault } from '../session/session.limits.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionWire, turnWire } from '../session/session.wire.js';
import { TurnReader } from '../reading/turn-reader.js';
import type { NudgeDto } from './nudges.dto.js';
import { cappedPermissions } from '../turn/turn-principal.js';
import { cancelNudge, queueNudge } from './nudges.decide.js';
import { NudgeReader } from '../reading/nudge-reader.js';

export class NudgeSession extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly body: NudgeDto,
  ) {
    super();
  }
}

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

  async execute({ who, sessionId, body }: NudgeSession): Promise<JsonObject> {
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
    const decided = await this.decisions.run(sessionKind, sessionId, actorOf(who), (session, revision) =>
      queueNudge(command, session, revision),
    );
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

export class CancelNudge extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly nudgeId: string,
  ) {
    super();
  }
}

@CommandHandler(CancelNudge)
export class CancelNudgeHandler implements ICommandHandler<CancelNudge> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly nudges: NudgeReader,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId, nudgeId }: CancelNudge): Promise<JsonObject> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const ordinal = nudgeOrdinal(state, sessionId, nudgeId);
    const decided = await this.decisions.run(sessionKind, sessionId, actorOf(who), (session) =>
      cancelNudge({ nudgeId, now: rfc3339(this.clock.now()) }, session),
    );
    const nudge = await this.nudges.wire(sessionId, decided.state, ordinal);
    if (nudge.status === 'delivered')
      throw new Refusal('nudge_already_delivered', { nudge }, 'the nudge was delivered');
    return nudge;
  }
}

export class GetNudge extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly nudgeId: string,
  ) {
    super();
  }
}

@QueryHandler(GetNudge)
export class GetNudgeHandler implements IQueryHandler<GetNudge> {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly nudges: NudgeReader,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId, nudgeId }: GetNudge): Promise<JsonObject> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    return this.nudges.wire(sessionId, state, nudgeOrdinal(state, sessionId, nudgeId));
  }
}

export interface NudgeFilter {
  status?: string[];
  order?: 'asc' | 'desc';
  limit?: number;
  cursor?: string;
}

export class ListNudges extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly filter: NudgeFilter,
  ) {
    super();
  }
}

const scanMax = 2000;

/** Nudges in creation order; `order=desc` takes the page from the newest end (rules G5, N10). */
@QueryHandler(ListNudges)
export class ListNudgesHandler implements IQueryHandler<ListNudges> {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly decisions: Decisions,
    private readonly nudges: NudgeReader,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId, filter }: ListNudges): Promise<JsonObject> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const limit = filter.limit ?? pageLimitDefault;
    const descending = filter.order === 'desc';
    const wanted = filter.status ? new Set(filter.status) : null;
    const scope = listScope(who.orgId, `nudges/${sessionId}`, {
      descending,
      status: filter.status ? [...filter.status].sort() : null,
    });
    const position = positionOf(this.seal, scope, filter.cursor);
    const count = state.nudgeCount;
    const items: JsonObject[] = [];
    let index = position === null ? (descending ? count - 1 : 0) : Number(position);
    let scanned = 0;
    for (; index >= 0 && index < count && scanned < scanMax; index += descending ? -1 : 1, scanned += 1) {
      const { state: current } = await this.decisions.load(sessionKind, sessionId);
      const nudge = await this.nudges.wire(sessionId, current, index);
      if (wanted && !wanted.has(String(nudge.status))) continue;
      if (items.length === limit) break;
      items.push(nudge);
    }
    const more = index >= 0 && index < count;
    return {
      items: descending ? items.reverse() : items,
      has_more: more,
      next_cursor: more ? this.seal.seal(String(index), scope) : null,
    };
  }
}

function nudgeOrdinal(state: SessionState, sessionId: string, nudgeId: string): number {
  const parsed = parseSessionPart(nudgeId, 'nudge');
  if (!parsed || parsed.sessionId !== sessionId || parsed.ordinal >= state.nudgeCount) throw notFound('nudge');
  return parsed.ordinal;
}
