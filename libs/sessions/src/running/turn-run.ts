import { messageOf, youngFunction, type BusSubscription, type Clock, type LiveBus } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { AgentRecord } from '@aos/definitions/published';
import { Audience } from '../live/audience.js';
import { LivePublisher } from '../live/live-publisher.js';
import type { SessionWatches } from '../live/session-watches.js';
import { openCalls } from '../session/open-turns.state.js';
import type { Block, SessionEvent } from '../session/session.events.js';
import type { OpenTurn } from '../session/session.state.js';
import type { ClaimCommit, Claimed, ClaimedEntry } from '../turn/claim-commit.js';
import { TurnLost } from '../turn/run.decide.js';
import { ActiveTime } from './active-time.js';
import { TurnFailure } from './turn-failure.js';
import type { TurnReference } from './turn-reference.js';

/** A claim that this process made. */
export interface TurnClaim {
  reference: TurnReference;
  actor: Actor;
  agentId: string;
  runner: string;
  open: OpenTurn;
  /** Revision that the append which claimed it left. */
  claimedAt: number;
}

/** A turn that was claimed by the append of its admission, with the agent that the append rests on. */
export interface AdmittedTurn {
  claim: TurnClaim;
  agent: AgentRecord;
}

/** What a run asks of its claim. */
export interface ClaimUse {
  append<Command extends Claimed>(
    claim: TurnClaim,
    entry: ClaimedEntry<Command>,
    command: Omit<Command, keyof Claimed>,
  ): Promise<{ events: readonly SessionEvent[]; revision: number }>;
  /** A sign of life; never rejects. */
  renew(claim: TurnClaim, activeMs: number): Promise<void>;
  /** Rejects when the claim is lost at this revision of the session, or at a later one. */
  requireOwned(claim: TurnClaim, revision: number): Promise<void>;
}

/** One run of a turn under its claim: what it writes, for how long, and what is shown of it. */
export class TurnRun {
  readonly live: LivePublisher;
  /** The model call before which an automatic pass was tried: one is tried before each. */
  passTriedAt: number | null = null;
  /** Blocks of the answer under way that are whole, by their place: kept when the turn fails (rule T20). */
  readonly finished: Block[] = [];
  /**
   * Revision that the last append of the claim left: what this process knows of the session since then is enough for
   * the step right behind it. Absent: that append is some time ago.
   */
  private provenAt: number | undefined;
  /** The bus' changes of health when that append began: with one since, a notification may be lost. */
  private provenInHealth: number;
  /** The highest revision that a notification named; one that names none is above all. */
  private heardAt = -1;
  private readonly active: ActiveTime;
  private readonly abort = new AbortController();
  private readonly audience: Audience;
  private readonly watch: BusSubscription;

  constructor(
    readonly claim: TurnClaim,
    private readonly use: ClaimUse,
    bus: LiveBus,
    private readonly watches: SessionWatches,
    clock: Clock,
    warn: (text: string) => void,
  ) {
    const { sessionId, turnId } = claim.reference;
    // what came between the claim and the subscription below was not heard: no call leaves without a look
    this.provenAt = openCalls(claim.open).length > 0 ? undefined : claim.claimedAt;
    this.provenInHealth = watches.healthChanges;
    const onTrouble = (error: unknown) => {
      warn(`${turnId}: ${String(error)}`);
    };
    this.audience = new Audience(watches, sessionId, clock, onTrouble);
    this.watch = bus.subscribe(`ring:session-${sessionId}`, (revision) => {
      if (this.audience.hear(revision)) return;
      this.heardAt = Math.max(this.heardAt, typeof revision === 'number' ? revision : Infinity);
      this.checkOwnership(this.heardAt, warn);
    });
    this.active = new ActiveTime(clock, {
      spentMs: claim.open.activeMs,
      budgetMs: claim.open.turn.effective_timeout_seconds * 1000,
      ranOut: () => {
        this.abort.abort(new TurnFailure('timeout', 'the turn ran out of time'));
      },
      sign: (activeMs) => use.renew(claim, activeMs),
    });
    this.live = new LivePublisher(bus, clock, sessionId, turnId, this.audience, onTrouble);
    this.audience.begin(this.watch);
  }

  get reference(): TurnReference {
    return this.claim.reference;
  }

  get epoch(): number {
    return this.claim.open.epoch;
  }

  /** Aborts when the run must end: the turn is lost or out of time, or the process stops. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  get activeMs(): number {
    return this.active.spentMs;
  }

  /**
   * Revision of the session that is enough for the step right behind the run's last append (rule TP24): that append
   * proved it, and a notification may have named a later one. Undefined: the step looks at the stream's end first. It
   * does after a wait, and where the bus is not healthy or was not since that append began: what others append is heard
   * of by the bus alone.
   */
  get restsOn(): number | undefined {
    const { canAsk, healthChanges } = this.watches;
    if (this.provenAt === undefined || !canAsk || healthChanges !== this.provenInHealth) return undefined;
    return Math.max(this.provenAt, this.heardAt);
  }

  /** A step begins, with the session as it was at this revision: the step behind it needs an append of its own. */
  looked(revision: number): void {
    this.provenAt = undefined;
    if (this.heardAt === Infinity) this.heardAt = revision;
  }

  /** A look at the stream's end, after a wait within a step. Rejects when the claim is lost. */
  async lookAgain(): Promise<void> {
    await this.use.requireOwned(this.claim, Infinity);
  }

  readonly commit = youngFunction<ClaimCommit>(async (entry, command) => {
    this.signal.throwIfAborted();
    const { healthChanges } = this.watches;
    const { events, revision } = await this.use.append(this.claim, entry, command);
    this.provenAt = revision;
    this.provenInHealth = healthChanges;
    return events;
  });

  /** Ends the run at its next step. */
  stop(reason: TurnLost): void {
    this.abort.abort(reason);
  }

  close(): void {
    this.live.endRow();
    this.audience.close();
    this.active.close();
    this.watch.close();
  }

  /** The session changed: stop at once when the turn is final or was taken over. What this process wrote is known. */
  private checkOwnership(revision: number, warn: (text: string) => void): void {
    this.use.requireOwned(this.claim, revision).catch((error: unknown) => {
      if (error instanceof TurnLost) this.abort.abort(error);
      else warn(`${this.reference.turnId}: ${messageOf(error)}`);
    });
  }
}
