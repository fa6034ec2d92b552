import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { FairQueue, ShortLivedMap, StoreUnavailable } from '@aos/kernel';
import { keptContext, traced } from '@aos/platform';
import type { OpenTurn, SessionState } from '../session/session.state.js';
import { nextToRun } from '../session/open-turns.state.js';
import { TurnSlots } from './turn-slots.js';
import { TurnRunner } from './turn-runner.js';
import type { TurnReference } from './turn-reference.js';
import type { AdmittedTurn } from './turn-run.js';

const waitingMax = 20_000;
const waitingPerOrganizationMax = 10_000;
const unknownMax = 10_000;

/**
 * Runs turns in this process, as many at once as there are slots; what does not fit waits, and past the bound the
 * recovery poll finds it.
 */
export class TurnQueue implements OnApplicationShutdown {
  private readonly log = new Logger('turns');
  /** With the trace of what admitted each. */
  private readonly waiting = new FairQueue<{ reference: TurnReference; inContext: ReturnType<typeof keptContext> }>(
    waitingPerOrganizationMax,
    waitingMax,
  );
  private readonly active = new ShortLivedMap<Promise<void>>();
  private readonly queuedSessions = new Set<string>();
  /** Sessions with a slot that is kept for a turn under admission. */
  private readonly kept = new ShortLivedMap<true>();
  private noneKept: (() => void) | null = null;
  /** Turns that were admitted while an earlier one of their session was still ending here. */
  private readonly following = new Map<string, TurnReference>();
  /** Sessions whose newest append has no answer and may hold a claim, with their organization. */
  private readonly unknown = new Map<string, string>();
  /** Organizations with turns that were not taken, or not run to a boundary: recovery finds them. */
  private readonly deferred = new Set<string>();
  private stopping = false;

  constructor(
    private readonly runner: TurnRunner,
    private readonly slots: TurnSlots,
  ) {
    slots.whenFreed(() => {
      this.fill();
    });
  }

  /** A turn was admitted here: this process runs it. */
  admitted(orgId: string, sessionId: string, turnId: string): void {
    this.enqueue({ orgId, sessionId, turnId, takeover: null });
  }

  /** Something may have made the session's next turn ready: this process runs it. */
  next(orgId: string, sessionId: string, state: SessionState): void {
    const next = nextToRun(state);
    if (next?.turn.status === 'queued') this.admitted(orgId, sessionId, next.turn.id);
  }

  enqueue(reference: TurnReference): void {
    if (this.stopping) return;
    if (this.isActive(reference.sessionId) || this.kept.has(reference.sessionId)) {
      if (reference.takeover === null) this.following.set(reference.sessionId, reference);
      return;
    }
    if (this.queuedSessions.has(reference.sessionId)) return;
    if (!this.hasRoom(reference.orgId)) this.defer(reference.orgId);
    else if (this.slots.mayStart(reference.orgId)) this.start(reference);
    else this.wait(reference);
  }

  /** Whether no turn begins here any more. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /**
   * Keeps a slot for a turn of the session while it is admitted, so that its admission may claim it (rule TP11). False
   * when no slot is free, when the session has another turn here, or when the process stops. A turn that waits and may
   * start has begun before (`fill`), so that no waiting turn is passed over.
   */
  keep(orgId: string, sessionId: string): boolean {
    if (this.isStopping || this.holds(sessionId) || !this.slots.mayStart(orgId)) return false;
    this.slots.take(orgId, sessionId);
    this.kept.set(sessionId, true);
    return true;
  }

  /** Gives a kept slot back: the turn was not claimed with its admission. */
  giveBack(sessionId: string): void {
    this.slots.leave(sessionId);
    this.release(sessionId);
    this.goOn(sessionId, null);
  }

  /** Runs a turn in the slot that was kept for it. A process that stops gives the turn back to the queue. */
  begin(admitted: AdmittedTurn): void {
    const { reference } = admitted.claim;
    this.carryOut(reference, () => this.runner.runAdmitted(admitted));
    this.release(reference.sessionId);
  }

  /**
   * The session's newest append may hold a claim of this process that it does not run: recovery looks at once. Past the
   * bound it looks at the rows of the organization's open turns instead.
   */
  doubt(orgId: string, sessionId: string): void {
    if (this.unknown.size < unknownMax) this.unknown.set(sessionId, orgId);
    else this.deferred.add(orgId);
  }

  /** Whether this process claimed the turn and does not run it: what an append without an answer may leave. */
  lost({ runner, turn }: OpenTurn): boolean {
    return turn.status === 'running' && runner === this.runner.name && !this.holds(turn.session_id);
  }

  /** Sessions in doubt, with their organizations. */
  get doubtful(): [sessionId: string, orgId: string][] {
    return [...this.unknown];
  }

  /** The log was asked: nothing of the session is in doubt any more. */
  lookedAt(sessionId: string): void {
    this.unknown.delete(sessionId);
  }

  isActive(sessionId: string): boolean {
    return this.active.has(sessionId);
  }

  /** A turn of the session runs here, waits here for its slot, or is admitted here with a slot. */
  holds(sessionId: string): boolean {
    return this.active.has(sessionId) || this.queuedSessions.has(sessionId) || this.kept.has(sessionId);
  }

  /** Whether one more turn of the organization would be taken. */
  hasRoom(orgId: string): boolean {
    return this.waiting.hasRoom(orgId);
  }

  defer(orgId: string): void {
    this.deferred.add(orgId);
  }

  /**
   * Whether a look is due: at a session in doubt, or at deferred turns that would be taken now. One look brings many,
   * so it waits until there is room for many.
   */
  get hasDeferred(): boolean {
    if (this.unknown.size > 0) return true;
    if (this.waiting.size > waitingMax / 2) return false;
    for (const orgId of this.deferred) if (this.waiting.countOf(orgId) <= waitingPerOrganizationMax / 2) return true;
    return false;
  }

  /** Everything deferred is being looked at. */
  takeDeferred(): void {
    this.deferred.clear();
  }

  get depth(): { running: number; waiting: number } {
    return { running: this.active.size, waiting: this.waiting.size };
  }

  /** Ends what runs: the turns stay as they are committed and go on elsewhere, or here after the next start. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.waiting.clear();
    this.following.clear();
    this.queuedSessions.clear();
    this.runner.stop();
    if (this.kept.size > 0)
      await new Promise<void>((resolve) => {
        this.noneKept = resolve;
      });
    await Promise.allSettled(this.active.values());
  }

  private start(reference: TurnReference): void {
    this.slots.take(reference.orgId, reference.sessionId);
    this.carryOut(reference, () => this.runner.run(reference));
  }

  private carryOut(reference: TurnReference, run: () => Promise<string | null>): void {
    const { sessionId } = reference;
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': sessionId,
      'svc.turn_id': reference.turnId,
      'svc.org_id': reference.orgId,
    };
    const work = traced({ name: 'invoke_agent', kind: 'internal', attributes }, run)
      .then((next) => {
        this.ended(reference.sessionId, next ? { ...reference, turnId: next, takeover: null } : null);
      })
      .catch((error: unknown) => {
        if (error instanceof StoreUnavailable)
          this.log.warn(`${reference.turnId}: ${error.message}; left for recovery`);
        else this.log.error(`${reference.turnId}: ${error instanceof Error ? error.stack : String(error)}`);
        this.defer(reference.orgId);
        this.ended(reference.sessionId, null);
      });
    this.active.set(reference.sessionId, work);
  }

  private ended(sessionId: string, next: TurnReference | null): void {
    this.active.delete(sessionId);
    this.slots.leave(sessionId);
    this.goOn(sessionId, next);
  }

  private release(sessionId: string): void {
    this.kept.delete(sessionId);
    if (this.kept.size === 0) this.noneKept?.();
  }

  /** The session's slot is free: its next turn waits in its place, and what may start begins. */
  private goOn(sessionId: string, next: TurnReference | null): void {
    if (this.stopping) return;
    const follower = this.following.get(sessionId) ?? next;
    this.following.delete(sessionId);
    if (follower) this.wait(follower);
    this.fill();
  }

  /** Starts what waits and has a slot. */
  private fill(): void {
    for (;;) {
      const first = this.stopping ? undefined : this.waiting.shift((orgId) => this.slots.mayStart(orgId));
      if (!first) return;
      const { reference, inContext } = first;
      this.queuedSessions.delete(reference.sessionId);
      if (!this.isActive(reference.sessionId))
        inContext(() => {
          this.start(reference);
        });
    }
  }

  private wait(reference: TurnReference): void {
    if (this.queuedSessions.has(reference.sessionId)) return;
    this.queuedSessions.add(reference.sessionId);
    this.waiting.push(reference.orgId, { reference, inContext: keptContext() });
  }
}
