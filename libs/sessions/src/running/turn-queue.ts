import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { FairQueue, StoreUnavailable } from '@aos/kernel';
import { keptContext, traced } from '@aos/platform';
import type { SessionState } from '../session/session.state.js';
import { nextToRun } from '../session/open-turns.state.js';
import { TurnSlots } from './turn-slots.js';
import { TurnRunner } from './turn-runner.js';
import type { TurnReference } from './turn-reference.js';

const waitingMax = 20_000;
const waitingPerOrganizationMax = 10_000;

/**
 * Runs turns in this process, as many at once as there are slots; what does not fit waits, and past the bound the
 * recovery poll finds it.
 */
@Injectable()
export class TurnQueue implements OnApplicationShutdown {
  private readonly log = new Logger('turns');
  /** With the trace of what admitted each. */
  private readonly waiting = new FairQueue<{ reference: TurnReference; inContext: ReturnType<typeof keptContext> }>(
    waitingPerOrganizationMax,
    waitingMax,
  );
  private readonly active = new Map<string, Promise<void>>();
  private readonly queuedSessions = new Set<string>();
  /** Turns that were admitted while an earlier one of their session was still ending here. */
  private readonly following = new Map<string, TurnReference>();
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
    if (this.isActive(reference.sessionId)) {
      if (reference.takeover === null) this.following.set(reference.sessionId, reference);
      return;
    }
    if (this.queuedSessions.has(reference.sessionId)) return;
    if (!this.hasRoom(reference.orgId)) this.defer(reference.orgId);
    else if (this.slots.mayStart(reference.orgId)) this.start(reference);
    else this.wait(reference);
  }

  isActive(sessionId: string): boolean {
    return this.active.has(sessionId);
  }

  /** A turn of the session runs here or waits here for its slot. */
  holds(sessionId: string): boolean {
    return this.active.has(sessionId) || this.queuedSessions.has(sessionId);
  }

  /** Whether one more turn of the organization would be taken. */
  hasRoom(orgId: string): boolean {
    return this.waiting.hasRoom(orgId);
  }

  defer(orgId: string): void {
    this.deferred.add(orgId);
  }

  /** Whether a deferred turn would be taken now: one look brings many, so it waits until there is room for many. */
  get hasDeferred(): boolean {
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
    await Promise.allSettled(this.active.values());
  }

  private start(reference: TurnReference): void {
    const { sessionId } = reference;
    this.slots.take(reference.orgId, sessionId);
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': sessionId,
      'svc.turn_id': reference.turnId,
      'svc.org_id': reference.orgId,
    };
    const work = traced({ name: 'invoke_agent', kind: 'internal', attributes }, () => this.runner.run(reference))
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
