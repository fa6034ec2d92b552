import { Injectable } from '@nestjs/common';
import { Refusal, type Identity } from '@aos/kernel';
import { Decisions, actorOf, type Decided } from '@aos/platform';
import type { AgentRecord } from '@aos/definitions/published';
import type { SessionEvent } from '../session/session.events.js';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import { startTurn, type StartTurn } from '../turn/start.decide.js';
import { runnerActor } from './turn-claims.js';
import { TurnQueue } from './turn-queue.js';
import type { AdmittedTurn } from './turn-run.js';
import { TurnRunner } from './turn-runner.js';

/** Who admits a turn of which agent, and where. */
export interface TurnSource {
  who: Identity;
  agent: AgentRecord;
  sessionId: string;
  /** The session's id was made just now. */
  isNew: boolean;
}

type Started = Decided<SessionState, SessionEvent>;

/** Appends admissions, with the claim of the turn where a slot is free (rule TP11), and has their turns run here. */
@Injectable()
export class AdmittedTurns {
  constructor(
    private readonly decisions: Decisions,
    private readonly turnQueue: TurnQueue,
    private readonly runner: TurnRunner,
  ) {}

  /**
   * Carries out `startTurn`.
   *
   * Gives    what was decided, without the claim: the same with a free slot and without one. A state that holds the
   *          claim shows it by the open turn alone.
   * Refuses  what `startTurn` refuses.
   */
  async start(source: TurnSource, command: StartTurn): Promise<Started> {
    const { orgId } = source.who;
    const slot = new AdmissionSlot(this.turnQueue, this.runner, orgId, source.sessionId);
    const started = await this.decide(source, command, slot).catch((error: unknown) => {
      if (error instanceof Refusal) slot.giveBack();
      else slot.giveUp();
      throw error;
    });
    return this.carriedOn(source, started, slot);
  }

  private decide({ who, agent, sessionId, isNew }: TurnSource, command: StartTurn, slot: AdmissionSlot) {
    const actor = actorOf(who);
    const attempt = (state: SessionState, revision: number) => {
      const events = startTurn({ ...command, runner: slot.keep() }, state, revision);
      slot.claims(claimedTurn(events));
      return events;
    };
    return this.decisions.run(sessionKind, sessionId, actor, attempt, {
      isNew,
      actorFor: (event) =>
        event.type === 'TurnClaimed' ? runnerActor(who.orgId, agent.id, event.data.turn.id) : actor,
    });
  }

  private carriedOn({ who: { orgId }, agent, sessionId }: TurnSource, started: Started, slot: AdmissionSlot): Started {
    const { state, revision, events } = started;
    const turnId = claimedTurn(events);
    if (turnId) {
      const reference = { orgId, sessionId, turnId, takeover: null };
      const claim = {
        reference,
        actor: runnerActor(orgId, agent.id, turnId),
        agentId: agent.id,
        runner: this.runner.name,
        open: state.open.get(turnId) as OpenTurn,
        claimedAt: revision,
      };
      slot.begin({ claim, agent });
      return { ...started, revision: revision - 1, events: events.filter(({ type }) => type !== 'TurnClaimed') };
    }
    slot.giveBack();
    const queued = events.find((event) => event.type === 'TurnQueued');
    if (queued) this.turnQueue.admitted(orgId, sessionId, queued.data.turn.id);
    return started;
  }
}

function claimedTurn(events: readonly SessionEvent[]): string | null {
  return events.find((event) => event.type === 'TurnClaimed')?.data.turn.id ?? null;
}

/**
 * Slot for the turn of one admission (rule TP11): kept from the first attempt of its append, and given back unless the
 * append claimed the turn.
 */
class AdmissionSlot {
  private isKept = false;
  private claimed: string | null = null;

  constructor(
    private readonly turnQueue: TurnQueue,
    private readonly runner: TurnRunner,
    private readonly orgId: string,
    private readonly sessionId: string,
  ) {}

  /** Runner that may claim the turn now, if any. Each attempt of the append asks anew. */
  keep(): string | null {
    this.isKept ||= this.turnQueue.keep(this.orgId, this.sessionId);
    return this.isKept && !this.turnQueue.isStopping ? this.runner.name : null;
  }

  /** The attempt that is about to be written claims this turn; null: none. Its lease is asked for beside the append. */
  claims(turnId: string | null): void {
    if (this.claimed === turnId) return;
    if (this.claimed) this.runner.disown(this.claimed);
    if (turnId) this.runner.own(turnId);
    this.claimed = turnId;
  }

  /** The append claimed the turn, which runs in this slot from now on. */
  begin(admitted: AdmittedTurn): void {
    this.isKept = false;
    this.turnQueue.begin(admitted);
  }

  /** Nothing was claimed. */
  giveBack(): void {
    this.claims(null);
    if (!this.isKept) return;
    this.isKept = false;
    this.turnQueue.giveBack(this.sessionId);
  }

  /** The append may have claimed the turn, or not. */
  giveUp(): void {
    const mayBeClaimed = this.claimed !== null;
    this.giveBack();
    if (mayBeClaimed) this.turnQueue.doubt(this.orgId, this.sessionId);
  }
}
