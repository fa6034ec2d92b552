import { Injectable } from '@nestjs/common';
import { Clock, Refusal, notFound, rfc3339, type Identity, type JsonObject, listAt, mapGet } from '@aos/kernel';
import { Decisions, serviceActor } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { sessionDecider } from '../session.decider.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets, type SessionTarget } from '../reading/session-targets.js';
import { TurnQueue } from '../running/turn-queue.js';
import type { Block } from '../session/session.events.js';
import { turnId } from '../session/session.ids.js';
import { timeoutSecondsDefault } from '../session/session.limits.js';
import { sessionKind } from '../session/session.state.js';
import { TurnReader } from '../reading/turn-reader.js';
import { parseSessionPart } from '../session/session.ids.js';
import { isSessionOfRuns, runSessionKeys, routineTurnKey } from './routine-turns.decide.js';

/** A routine's run, as its session is given it. */
export interface RoutineTurn {
  occurrenceId: string;
  routineName: string;
  agentId: string;
  /** The conversation it goes on in; null, or out of reach: the session of its runs under `sessionKey`. */
  sessionId: string | null;
  sessionKey: string;
  instructions: Block[];
  event: Block[] | null;
  metadata: JsonObject;
}

export interface StartedTurn {
  sessionId: string;
  turnId: string;
}

/** The way routines reach sessions. */
@Injectable()
export class RoutineTurns {
  constructor(
    private readonly decisions: Decisions,
    private readonly targets: SessionTargets,
    private readonly directory: SessionDirectory,
    private readonly agents: AgentDirectory,
    private readonly turnQueue: TurnQueue,
    private readonly reader: TurnReader,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues the run's turn; a repeat answers with the first one.
   *
   * Takes    who the turn belongs to.
   * Refuses  not_found when the agent is gone or out of that principal's reach; agent_inactive; conflict when too many
   *          turns wait; session_key_conflict.
   */
  async start(who: Identity, run: RoutineTurn): Promise<StartedTurn> {
    const key = routineTurnKey(run.occurrenceId);
    const known = run.sessionId === null ? null : await this.startedIn(who, run.sessionId, key);
    if (known) return known;
    const agent = await this.targets.agent(who, { id: run.agentId });
    const target = await this.target(who, run);
    const command = {
      now: rfc3339(this.clock.now()),
      open: target.open,
      isAgentActive: agent.standing === 'active',
      timeoutSeconds: agent.wire.timeout_seconds || timeoutSecondsDefault,
      occurrenceId: run.occurrenceId,
      routineName: run.routineName,
      instructions: run.instructions,
      event: run.event,
      metadata: run.metadata,
      principalId: who.principalId,
      principalKind: who.kind,
      principalPermissions: [...who.permissions].sort(),
    };
    const actor = serviceActor(who.orgId, who.principalId, run.occurrenceId, who.kind);
    const { state } = await this.decisions.decide(sessionDecider.startRoutineTurn, target.sessionId, actor, command);
    const ordinal = mapGet(state.turnByKey, key);
    if (ordinal === undefined) throw new Error(`${run.occurrenceId} has no turn`);
    this.turnQueue.next(who.orgId, target.sessionId, state);
    return { sessionId: target.sessionId, turnId: turnId(target.sessionId, ordinal) };
  }

  /**
   * The run that a turn belongs to; null for a turn that no routine started, and for an id of no turn of this
   * organization.
   */
  async occurrenceOf(orgId: string, id: string): Promise<string | null> {
    const parsed = parseSessionPart(id, 'turn');
    if (!parsed) return null;
    const { state } = await this.decisions.load(sessionKind, parsed.sessionId);
    if (state.opening?.org_id !== orgId || listAt(state.queuedAt, parsed.ordinal) === undefined) return null;
    const { input } = await this.reader.admitted(parsed.sessionId, state, parsed.ordinal);
    return input.occurrence_id ?? null;
  }

  private async startedIn(who: Identity, sessionId: string, key: string): Promise<StartedTurn | null> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const ordinal = state.opening?.org_id === who.orgId ? mapGet(state.turnByKey, key) : undefined;
    return ordinal === undefined ? null : { sessionId, turnId: turnId(sessionId, ordinal) };
  }

  private async target(who: Identity, run: RoutineTurn): Promise<SessionTarget> {
    if (run.sessionId !== null && (await this.isThere(who, run.sessionId, run.agentId)))
      return { sessionId: run.sessionId, open: null, isNew: false };
    const agent = await this.agents.agent(who.orgId, run.agentId);
    if (!agent) throw notFound('agent');
    return this.targets.target(
      who,
      agent,
      { session_key: await this.keyFor(who, run), title: run.routineName },
      { origin: 'routine' },
    );
  }

  /**
   * The first key that is free or has a session with runs of the same owner. Runs of another principal may have read
   * what this principal must not, and any caller may open a session under any key (rule A34).
   */
  private async keyFor(who: Identity, run: RoutineTurn): Promise<string> {
    for (const key of runSessionKeys(run.sessionKey, who.principalId)) {
      const { live } = await this.directory.resolve(who, run.agentId, key, this.clock.now());
      if (!live || isSessionOfRuns(live.state, who)) return key;
    }
    throw new Refusal('session_key_conflict', {}, "the keys of the routine's sessions are taken");
  }

  private async isThere(who: Identity, sessionId: string, agentId: string): Promise<boolean> {
    try {
      const { state } = await this.directory.visible(who, sessionId, this.clock.now());
      return state.opening?.agent_id === agentId;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'not_found') return false;
      throw error;
    }
  }
}
