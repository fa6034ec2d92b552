import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock, Ids, Leases, LiveBus, StoreUnavailable, type BusSubscription } from '@aos/kernel';
import { Metrics, type SocketConnection, type SocketHandlers } from '@aos/platform';
import { readSignal, workChannel } from './channels.js';
import { JobClaims } from './job-claims.js';
import type { Offer } from './job-offers.js';
import { presenceEveryMs, WorkerPresence } from './worker-presence.js';
import { WorkerSession, type SessionParts } from './worker-session.js';

/**
 * Leases end without a signal, and signals may be lost: waiting jobs are looked for at this interval while a worker
 * would take them.
 */
const lookEveryMs = 2_000;
/** Changes of how many jobs workers have are gathered for so long before they are said. */
const countedWithinMs = 500;

/** The workers of one organization that are connected here. */
interface Crew {
  sessions: Set<WorkerSession>;
  subscription: BusSubscription;
  look: { cancel(): void };
  word: { cancel(): void };
  /** Null: nothing was counted since the last word. */
  counted: { cancel(): void } | null;
  /** One round at a time; `again`: something changed meanwhile. */
  serving: Promise<void> | null;
  again: boolean;
}

/** Connects workers with jobs: a worker that asks is given waiting jobs, at once or as soon as there are any. */
@Injectable()
export class WorkerHub implements OnModuleDestroy {
  private readonly log = new Logger('workers');
  private readonly crews = new Map<string, Crew>();
  private readonly parts: SessionParts;

  constructor(
    private readonly claims: JobClaims,
    private readonly presence: WorkerPresence,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    leases: Leases,
    ids: Ids,
    metrics: Metrics,
  ) {
    this.parts = {
      claims,
      leases,
      clock,
      ids,
      changed: (session) => {
        this.changed(session);
      },
      counted: ({ orgId }) => {
        this.speakSoon(orgId);
      },
      replaces: (session) => {
        this.replace(session);
      },
    };
    metrics.observedGauge('workers_connected', 'Workers that are connected to this process.', () =>
      [...this.crews.values()].reduce((sum, { sessions }) => sum + sessions.size, 0),
    );
  }

  /** A worker's connection opened; gives what handles it. */
  opened(connection: SocketConnection): SocketHandlers {
    const session = new WorkerSession(connection, this.parts);
    this.join(session);
    return {
      message: (text) => session.heard(text),
      ending: (reason) => {
        session.ending(reason);
      },
      closed: () => {
        this.left(session);
      },
    };
  }

  async onModuleDestroy(): Promise<void> {
    const serving = [...this.crews.values()].map((crew) => crew.serving);
    for (const orgId of [...this.crews.keys()]) this.disband(orgId);
    await Promise.all(serving);
  }

  private join(session: WorkerSession): void {
    const { orgId } = session;
    const known = this.crews.get(orgId);
    if (known) {
      known.sessions.add(session);
      return;
    }
    const subscription = workChannel.subscribe(this.bus, orgId, (message) => {
      const signal = readSignal(message);
      if (signal?.type === 'offered') this.serve(orgId);
      if (signal?.type === 'cancelled')
        for (const one of this.crews.get(orgId)?.sessions ?? [])
          one.tellOfCancel({ job_id: signal.job_id, reason: signal.reason, requested_at: signal.requested_at });
    });
    const idle = { cancel: () => undefined };
    this.crews.set(orgId, {
      sessions: new Set([session]),
      subscription,
      look: idle,
      word: idle,
      counted: null,
      serving: null,
      again: false,
    });
    this.lookLater(orgId);
    this.speakLater(orgId);
  }

  private left(session: WorkerSession): void {
    const { orgId } = session;
    const crew = this.crews.get(orgId);
    crew?.sessions.delete(session);
    const isElsewhere = [...(crew?.sessions ?? [])].some(
      ({ leaseOwner }) => leaseOwner !== null && leaseOwner === session.leaseOwner,
    );
    session.closed(isElsewhere).catch((error: unknown) => {
      this.trouble(error);
    });
    this.speak(orgId);
    if (crew?.sessions.size === 0) this.disband(orgId);
  }

  private disband(orgId: string): void {
    const crew = this.crews.get(orgId);
    if (!crew) return;
    this.crews.delete(orgId);
    crew.subscription.close();
    crew.look.cancel();
    crew.word.cancel();
    crew.counted?.cancel();
  }

  private changed(session: WorkerSession): void {
    this.speak(session.orgId);
    this.serve(session.orgId);
  }

  private replace(session: WorkerSession): void {
    for (const other of this.crews.get(session.orgId)?.sessions ?? [])
      if (other !== session && other.leaseOwner === session.leaseOwner) other.replaced();
  }

  private serve(orgId: string): void {
    const crew = this.crews.get(orgId);
    if (!crew) return;
    crew.again = true;
    crew.serving ??= this.rounds(orgId, crew)
      .catch((error: unknown) => {
        this.trouble(error);
      })
      .finally(() => {
        crew.serving = null;
      });
  }

  private async rounds(orgId: string, crew: Crew): Promise<void> {
    while (crew.again && this.crews.get(orgId) === crew) {
      crew.again = false;
      await this.round(orgId, crew);
    }
  }

  /**
   * Gives the waiting jobs, oldest first, to those who ask, in the order of their asking; then tells the idle of what
   * is left.
   */
  private async round(orgId: string, { sessions }: Crew): Promise<void> {
    const idle = [...sessions].filter(({ isTaking }) => isTaking);
    if (idle.length === 0) return;
    const offers: Offer[] = [];
    for await (const offer of this.claims.offers(orgId)) offers.push(offer);
    if (offers.length === 0) return;
    for (const session of idle) {
      if (session.hasClaim) await session.serve(offers);
      session.tellOfWork(offers);
    }
  }

  private lookLater(orgId: string): void {
    const crew = this.crews.get(orgId);
    if (!crew) return;
    crew.look = this.clock.after(lookEveryMs, () => {
      if ([...crew.sessions].some(({ hasClaim }) => hasClaim)) this.serve(orgId);
      this.lookLater(orgId);
    });
  }

  private speakLater(orgId: string): void {
    const crew = this.crews.get(orgId);
    if (!crew) return;
    crew.word = this.clock.after(presenceEveryMs, () => {
      this.speak(orgId);
      this.speakLater(orgId);
    });
  }

  private speakSoon(orgId: string): void {
    const crew = this.crews.get(orgId);
    if (crew) crew.counted ??= this.clock.after(countedWithinMs, () => this.speak(orgId));
  }

  /** Says who is here. */
  private speak(orgId: string): void {
    const crew = this.crews.get(orgId);
    crew?.counted?.cancel();
    if (crew) crew.counted = null;
    const workers = [...(crew?.sessions ?? [])].flatMap(({ connected }) => connected ?? []);
    this.presence.tell(orgId, workers).catch((error: unknown) => {
      this.trouble(error);
    });
  }

  private trouble(error: unknown): void {
    if (error instanceof StoreUnavailable) this.log.warn(error.message);
    else this.log.error(error instanceof Error ? error.stack : String(error));
  }
}
