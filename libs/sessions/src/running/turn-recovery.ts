import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, Leases, collectionOf } from '@aos/kernel';
import { Decisions, Ownership, Recoveries, wasSuspended, type RecoveryLoop } from '@aos/platform';
import { openTurnScopes, openTurnsProjection } from '../session/open-turns.projection.js';
import { sessionKind, type OpenTurn } from '../session/session.state.js';
import { nextToRun } from '../session/open-turns.state.js';
import { TurnQueue } from './turn-queue.js';
import { leaseName } from './turn-runner.js';

interface LastProgress {
  /** The progress of the turn's runner by then. Appends by others, such as a nudge, do not count as progress. */
  progress: string;
  since: number;
}

/**
 * In one process, which owns every open turn itself but for those that its queue deferred: between two looks without a
 * reason.
 */
const lookEveryMs = 30_000;
/** So much longer is a turn left alone whose session another replica owns: that one takes it, if it lives. */
const ownersFirstMs = 5_000;

/**
 * Finds turns that lost their runner. Embedded, every lease is void at boot, so recovery starts at once and later finds
 * little. In the fleet a turn is taken over only after no lease was seen for a full lease time while the lease store
 * answered, with no append of that epoch meanwhile: by its session's owner, and 5 s later by any other replica, so that
 * it moves within two lease times and 10 s of the death (invariant 17), with any owner.
 */
@Injectable()
export class TurnRecovery implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly lastProgress = new Map<string, LastProgress>();
  private readonly loop: RecoveryLoop;
  private lookedAt = -Infinity;

  constructor(
    private readonly recoveries: Recoveries,
    private readonly decisions: Decisions,
    private readonly turnQueue: TurnQueue,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly ownership: Ownership,
  ) {
    this.loop = recoveries.loop({
      poll: () => (this.isWorthALook() ? this.poll() : Promise.resolve()),
      forget: () => {
        this.lastProgress.clear();
        this.lookedAt = -Infinity;
      },
      leasesOf: ({ doc }) => [leaseName(String(doc.turn_id))],
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.loop.close();
  }

  /** Looks at every session with a turn that could run, once; of an organization that has no room here, when it has. */
  async poll(): Promise<void> {
    this.lookedAt = this.clock.monotonic();
    if (this.ownership.isDraining) return; // others take over what is found from now on
    this.turnQueue.takeDeferred();
    const seen = new Set<string>();
    for (const [sessionId, orgId] of this.turnQueue.doubtful) {
      seen.add(sessionId);
      await this.loop.look(sessionId, () => this.consider(orgId, sessionId, { isDoubtful: true }));
      this.turnQueue.lookedAt(sessionId);
    }
    const open = { collection: collectionOf(openTurnsProjection), scopes: openTurnScopes };
    await this.loop.each(open, async ({ key, doc }) => {
      seen.add(key);
      const orgId = String(doc.org_id);
      if (this.turnQueue.holds(key)) return;
      if (this.turnQueue.hasRoom(orgId)) await this.consider(orgId, key);
      else this.turnQueue.defer(orgId);
    });
    for (const sessionId of this.lastProgress.keys()) if (!seen.has(sessionId)) this.lastProgress.delete(sessionId);
  }

  private isWorthALook(): boolean {
    return (
      !this.recoveries.soleWriter || this.turnQueue.hasDeferred || this.clock.monotonic() - this.lookedAt >= lookEveryMs
    );
  }

  private async consider(orgId: string, sessionId: string, { isDoubtful = false } = {}): Promise<void> {
    const askedAt = this.clock.monotonic();
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const next = nextToRun(state);
    if (!next) return;
    const turnId = next.turn.id;
    const progress = progressOf(next);
    const givenBack = next.turn.status === 'queued' && next.epoch > 0;
    const reference = { orgId, sessionId, turnId, takeover: next.turn.status === 'running' ? next.epoch : null };
    if (this.recoveries.soleWriter || (isDoubtful && this.turnQueue.lost(next))) {
      this.turnQueue.enqueue(reference);
      return;
    }
    const [holder] = await this.leases.holders([leaseName(turnId)]);
    const isOwn = this.ownership.owns(`session-${sessionId}`);
    if (!holder && givenBack && isOwn) {
      this.turnQueue.enqueue(reference); // by a runner that went down in good order
      return;
    }
    const now = this.clock.monotonic();
    const last = this.lastProgress.get(sessionId);
    if (holder || last?.progress !== progress || wasSuspended(this.clock, askedAt, this.recoveries.leaseMs)) {
      this.lastProgress.set(sessionId, { progress, since: now });
      return;
    }
    if (now - last.since < this.recoveries.leaseMs + (isOwn ? 0 : ownersFirstMs)) return;
    this.lastProgress.delete(sessionId);
    this.turnQueue.enqueue(reference);
  }
}

function progressOf(open: OpenTurn): string {
  const outcomes = open.pending.filter(({ outcome }) => outcome !== null).length;
  return [open.turn.id, open.turn.status, open.epoch, open.calls, open.activeMs, open.nextIndex, outcomes].join(' ');
}
