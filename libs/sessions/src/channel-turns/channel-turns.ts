import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { Clock, Refusal, listAt, mapGet, rfc3339, saltedHash, type Identity, type JsonObject } from '@aos/kernel';
import { Decisions, serviceActor } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { sessionDecider } from '../session.decider.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets, type SessionAgent, type SessionTarget } from '../reading/session-targets.js';
import { TurnQueue } from '../running/turn-queue.js';
import type { Block, Row, SessionEvent, TurnRecord } from '../session/session.events.js';
import { parseSessionPart, turnId } from '../session/session.ids.js';
import { timeoutSecondsDefault } from '../session/session.limits.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { channelTurnKey } from './channel-turns.decide.js';

/** A message of a channel as its session is given it. */
export interface ChannelTurn {
  exchangeId: string;
  agentId: string;
  /** What the session's key is made of: provider, connection, channel, thread. */
  route: readonly string[];
  content: Block[];
  metadata: JsonObject;
  /** Of a session that it opens. */
  session: {
    title: string;
    metadata: JsonObject;
    compaction_policy?: Schema<'SessionCompactionPolicy'>;
    model_override?: string;
  };
}

/** How a session's turn ended, and the text of its last row. */
export interface ChannelAnswer {
  status: TurnRecord['status'];
  text: string;
}

/** A start looks for its session so often when it is deleted under its hands. */
const resolutionsMax = 5;
/** Keys of one route: another session may have one, opened by a caller who had read it. */
const keysMax = 3;
const readPage = 64;

/** The way messages of channels reach sessions (rule TE14). */
@Injectable()
export class ChannelTurns {
  constructor(
    private readonly decisions: Decisions,
    private readonly targets: SessionTargets,
    private readonly directory: SessionDirectory,
    private readonly salts: OrganizationSalts,
    private readonly turnQueue: TurnQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues the turn that answers; a repeat answers with the first one.
   *
   * Refuses  not_found when the agent is gone or out of reach; agent_inactive; conflict when too many turns wait;
   *          session_key_conflict; invalid_argument and plan_limit_exceeded for the model.
   */
  async start(who: Identity, turn: ChannelTurn): Promise<{ sessionId: string; turnId: string }> {
    const agent = await this.targets.agent(who, { id: turn.agentId });
    for (let resolution = 1; ; resolution += 1) {
      try {
        return await this.startIn(who, agent, turn, await this.target(who, agent, turn));
      } catch (error) {
        const isGone = error instanceof Refusal && error.code === 'not_found';
        if (!isGone || resolution >= resolutionsMax) throw error;
      }
    }
  }

  /** Null while the turn is open, and for a turn or session that is gone or of another organization. */
  async answer(orgId: string, id: string): Promise<ChannelAnswer | null> {
    const parsed = parseSessionPart(id, 'turn');
    if (!parsed) return null;
    const { sessionId, ordinal } = parsed;
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const finalAt = listAt(state.finalAt, ordinal) ?? -1;
    if (state.opening?.org_id !== orgId || state.status === 'deleted' || finalAt < 0) return null;
    return this.readAnswer(sessionId, id, finalAt);
  }

  private async startIn(
    who: Identity,
    agent: SessionAgent,
    turn: ChannelTurn,
    { sessionId, open }: SessionTarget,
  ): Promise<{ sessionId: string; turnId: string }> {
    const command = {
      now: rfc3339(this.clock.now()),
      open,
      isAgentActive: agent.standing === 'active',
      timeoutSeconds: agent.wire.timeout_seconds || timeoutSecondsDefault,
      exchangeId: turn.exchangeId,
      content: turn.content,
      metadata: turn.metadata,
      principalId: who.principalId,
      principalKind: who.kind,
      principalPermissions: [...who.permissions].sort(),
    };
    const actor = serviceActor(who.orgId, who.principalId, turn.exchangeId, who.kind);
    const { state } = await this.decisions.decide(sessionDecider.startChannelTurn, sessionId, actor, command);
    const ordinal = mapGet(state.turnByKey, channelTurnKey(turn.exchangeId));
    if (ordinal === undefined) throw new Error(`${turn.exchangeId} has no turn`);
    this.turnQueue.next(who.orgId, sessionId, state);
    return { sessionId, turnId: turnId(sessionId, ordinal) };
  }

  private async target(who: Identity, agent: SessionAgent, turn: ChannelTurn): Promise<SessionTarget> {
    const spec = { ...turn.session, session_key: await this.keyFor(who, agent.id, turn.route) };
    return this.targets.target(who, agent, spec, { origin: 'messaging' });
  }

  /** The first key of a route that is free or has a session of messages. */
  private async keyFor(who: Identity, agentId: string, route: readonly string[]): Promise<string> {
    const salt = await this.salts.of(who.orgId);
    for (let index = 0; index < keysMax; index += 1) {
      const key = `messaging:${saltedHash(salt, ['messaging', ...route, ...(index === 0 ? [] : [String(index)])])}`;
      const { live } = await this.directory.resolve(who, agentId, key, this.clock.now());
      if (!live || isOfMessages(live.state)) return key;
    }
    throw new Refusal('session_key_conflict', {}, 'the keys of the channel are taken');
  }

  private async readAnswer(sessionId: string, id: string, finalAt: number): Promise<ChannelAnswer | null> {
    let status: TurnRecord['status'] | null = null;
    for (let from = finalAt; from >= 0;) {
      const events = await this.decisions.read<SessionEvent>(sessionKind, sessionId, {
        from,
        backwards: true,
        limit: readPage,
      });
      for (const event of events) {
        if (isFinal(event) && event.data.turn.id === id) ({ status } = event.data.turn);
        if (status === null) return null;
        if (event.type === 'MessageAppended' && event.data.row.turn_id === id && event.data.row.role === 'assistant')
          return { status, text: textOf(event.data.row) };
        if (event.type === 'TurnQueued' && event.data.turn.id === id) return { status, text: '' };
      }
      const last = events.at(-1);
      if (!last) break;
      from = last.revision - 1;
    }
    return status === null ? null : { status, text: '' };
  }
}

function isOfMessages({ opening }: SessionState): boolean {
  return opening?.origin === 'messaging' && opening.owner.kind === 'team';
}

type Final = Extract<SessionEvent, { type: 'TurnCompleted' | 'TurnFailed' | 'TurnCancelled' }>;

function isFinal(event: SessionEvent): event is Extract<typeof event, Final> {
  return event.type === 'TurnCompleted' || event.type === 'TurnFailed' || event.type === 'TurnCancelled';
}

function textOf({ content }: Row): string {
  return content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n\n');
}
