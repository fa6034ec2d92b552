import { Injectable, Logger } from '@nestjs/common';
import { Clock, LiveBus, messageOf, rfc3339 } from '@aos/kernel';
import { Decisions, serviceActor, type Actor } from '@aos/platform';
import { SessionWatches } from '../live/session-watches.js';
import type { Block, SessionEvent, TurnRecord } from '../session/session.events.js';
import { sessionDecider } from '../session.decider.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import type { Claimed, ClaimedEntry } from '../turn/claim-commit.js';
import { TurnLost, type failTurn } from '../turn/run.decide.js';
import type { TurnFailure } from './turn-failure.js';
import type { TurnReference } from './turn-reference.js';
import { TurnRun, type ClaimUse, type TurnClaim } from './turn-run.js';

type FailTurn = Claimed & Parameters<typeof failTurn>[0];

/** Hears of each turn that fails here, once. */
export type FailedListener = (orgId: string, turn: TurnRecord) => void;

/**
 * Claims turns, and appends what their runs write. The claim's epoch fences: after a takeover or a cancel nothing more
 * is written.
 */
@Injectable()
export class TurnClaims implements ClaimUse {
  private readonly log = new Logger('turns');
  private failed: FailedListener | null = null;

  constructor(
    private readonly decisions: Decisions,
    private readonly bus: LiveBus,
    private readonly watches: SessionWatches,
    private readonly clock: Clock,
  ) {}

  whenFailed(listener: FailedListener): void {
    this.failed = listener;
  }

  /** The session at its true end; with `atLeast` also as this process knows it, at that revision or a later one. */
  load(sessionId: string, atLeast?: number): Promise<{ state: SessionState; revision: number }> {
    return this.decisions.load(sessionKind, sessionId, atLeast);
  }

  /** Null when the turn is not to run here, as `claimTurn` judges. */
  async claim(reference: TurnReference, agentId: string, runner: string): Promise<TurnClaim | null> {
    const { orgId, sessionId, turnId, takeover } = reference;
    const actor = runnerActor(orgId, agentId, turnId);
    const command = { turnId, runner, now: this.now(), takeover };
    const decided = await this.decisions.decide(sessionDecider.claimTurn, sessionId, actor, command);
    const open = decided.state.open.get(turnId);
    if (decided.events.length === 0 || !open) return null;
    return { reference, actor, agentId, runner, open, claimedAt: decided.revision };
  }

  /** Begins the run of a claimed turn; the caller closes it. */
  run(claim: TurnClaim): TurnRun {
    return new TurnRun(claim, this, this.bus, this.watches, this.clock, (text) => {
      this.log.warn(text);
    });
  }

  async append<Command extends Claimed>(
    { reference: { orgId, sessionId, turnId }, actor, open: { epoch } }: TurnClaim,
    entry: ClaimedEntry<Command>,
    command: Omit<Command, keyof Claimed>,
  ): Promise<{ events: readonly SessionEvent[]; revision: number }> {
    const claimed = { ...command, turnId, epoch, now: this.now() } as Command;
    const { events, revision } = await this.decisions.decide(entry, sessionId, actor, claimed);
    for (const event of events) if (event.type === 'TurnFailed') this.failed?.(orgId, event.data.turn);
    return { events, revision };
  }

  /**
   * Written while a step goes on, so that what it has spent counts should this process die. A turn that is lost is
   * noticed elsewhere.
   */
  async renew({ reference: { sessionId, turnId }, actor, runner, open }: TurnClaim, activeMs: number): Promise<void> {
    try {
      const command = { turnId, epoch: open.epoch, runner, activeMs };
      await this.decisions.decide(sessionDecider.renewClaim, sessionId, actor, command);
    } catch (error) {
      if (!(error instanceof TurnLost)) this.log.warn(`${turnId}: ${messageOf(error)}`);
    }
  }

  async requireOwned({ reference, open: { epoch } }: TurnClaim, revision: number): Promise<void> {
    const { sessionId, turnId } = reference;
    const { state } = await this.load(sessionId, revision);
    if (state.open.get(turnId)?.epoch !== epoch) throw new TurnLost(turnId);
  }

  /** Ends the turn as failed, unless it is lost. `partial`: whole blocks of an answer that broke off. */
  async fail(claim: TurnClaim, { errorType, message }: TurnFailure, partial: Block[]): Promise<void> {
    await unlessLost(this.append<FailTurn>(claim, sessionDecider.failTurn, { errorType, message, partial }));
  }

  /** This process stops: the turn goes back to the queue, so that another one need not wait for the lease. */
  async giveBack(claim: TurnClaim, activeMs: number): Promise<void> {
    await unlessLost(this.append(claim, sessionDecider.requeueTurn, { activeMs }));
  }

  private now(): string {
    return rfc3339(this.clock.now());
  }
}

/** A turn's run acts as its agent. */
export function runnerActor(orgId: string, agentId: string, turnId: string): Actor {
  return serviceActor(orgId, agentId, turnId, 'agent');
}

async function unlessLost(appended: Promise<unknown>): Promise<void> {
  try {
    await appended;
  } catch (error) {
    if (!(error instanceof TurnLost)) throw error;
  }
}
