import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Leases, ReadStore, StoreUnavailable } from '@aos/kernel';
import { Decisions, Projectors, collectionOf } from '@aos/platform';
import { openTurnsProjection } from '../lifecycle/sessions.projection.js';
import { sessionKind, type OpenTurn } from '../session/session.state.js';
import { nextToRun } from '../turns/run.decide.js';
import { TurnDispatch } from './turn-dispatch.js';
import { leaseName } from './turn-runner.js';

const page = 500;
const pollEveryMs = 2000;

interface Sighting {
  /** What the turn's runner had done by then; what others append (a nudge) is no sign of its life. */
  progress: string;
  since: number;
}

/**
 * Finds turns whose runner died. In one process every lease is void at boot, so recovery starts at once; in the fleet a turn is taken over only
 * after no lease was seen for a full lease time while the lease store answered, with no append of that epoch meanwhile.
 */
@Injectable()
export class TurnRecovery implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('recovery');
  private readonly sightings = new Map<string, Sighting>();
  private timer: { cancel(): void } | null = null;
  private running: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly projectors: Projectors,
    private readonly dispatch: TurnDispatch,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule(50);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.running;
  }

  private schedule(ms: number): void {
    if (this.closed) return;
    const dueAt = this.clock.monotonic() + ms;
    this.timer = this.clock.after(ms, () => {
      if (this.stoodStill(dueAt)) this.sightings.clear(); // the runners may have stood still as well
      this.running = this.poll().catch((error: unknown) => {
        if (error instanceof StoreUnavailable) this.log.warn(error.message);
        else this.log.error(error instanceof Error ? error.stack : String(error));
      }).then(() => { this.schedule(this.projectors.caughtUp ? pollEveryMs : 50); });
    });
  }

  /** Looks at every session with a turn that could run, once. */
  async poll(): Promise<void> {
    if (!this.projectors.caughtUp) return;
    const seen = new Set<string>();
    let after: { value: number | string | null; key: string } | null = null;
    do {
      const found = await this.readStore.query({ collection: collectionOf(openTurnsProjection), scope: ['*'], limit: page, ...(after ? { after } : {}) });
      for (const row of found.rows) {
        seen.add(row.key);
        if (!this.dispatch.holds(row.key)) await this.consider(String(row.doc.org_id), row.key);
      }
      after = found.next;
    } while (after && !this.closed);
    for (const sessionId of this.sightings.keys()) if (!seen.has(sessionId)) this.sightings.delete(sessionId);
  }

  private async consider(orgId: string, sessionId: string): Promise<void> {
    const askedAt = this.clock.monotonic();
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const next = nextToRun(state);
    if (!next) return;
    const turnId = next.turn.id;
    const progress = progressOf(next);
    const givenBack = next.turn.status === 'queued' && next.epoch > 0;
    const reference = { orgId, sessionId, turnId, takeover: next.turn.status === 'running' ? next.epoch : null };
    if (this.store.soleWriter) {
      this.dispatch.enqueue(reference);
      return;
    }
    const [holder] = await this.leases.holders([leaseName(turnId)]);
    if (!holder && givenBack) {
      this.dispatch.enqueue(reference); // by a runner that went down in good order
      return;
    }
    const now = this.clock.monotonic();
    const sighting = this.sightings.get(sessionId);
    if (holder || sighting?.progress !== progress || this.stoodStill(askedAt)) {
      this.sightings.set(sessionId, { progress, since: now });
      return;
    }
    if (now - sighting.since < this.leaseMs) return;
    this.sightings.delete(sessionId);
    this.dispatch.enqueue(reference);
  }

  /** So much later than expected that this process was suspended: what it did not see then says nothing. */
  private stoodStill(expectedAt: number): boolean {
    return this.clock.monotonic() - expectedAt > this.leaseMs / 2;
  }
}

function progressOf(open: OpenTurn): string {
  const outcomes = open.pending.filter(({ outcome }) => outcome !== null).length;
  return [open.turn.id, open.turn.status, open.epoch, open.calls, open.nextIndex, outcomes].join(' ');
}
