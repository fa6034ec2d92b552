import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Leases, ReadStore, StoreUnavailable, idPart, rfc3339, type QueryCursor } from '@aos/kernel';
import { Decisions, Projectors, Settings, collectionOf, serviceAct } from '@aos/platform';
import { invocationKind, type InvocationState } from '../invocation/invocation.state.js';
import { openInvocationsProjection } from '../records/invocations.projection.js';
import { InvocationRuns, invocationLease, type RecordedInvocation } from './invocation-runs.js';
import { takeInvocationOver } from './invoking.decide.js';

const page = 500;
const pollEveryMs = 2000;
const soonMs = 50;

/**
 * Finds direct invocations whose process fell, and sends them again under their delivery ids (decision R24). In one process that is every one that
 * does not run here; in the fleet one without a lease for a full lease time while the lease store answered.
 */
@Injectable()
export class InvocationRecovery implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('recovery');
  /** Invocation and run -> since when no lease was seen. */
  private sightings = new Map<string, number>();
  private timer: { cancel(): void } | null = null;
  private polling: Promise<void> = Promise.resolve();
  private closed = false;
  private readonly leaseMs: number;

  constructor(
    private readonly store: EventStore, private readonly readStore: ReadStore, private readonly decisions: Decisions, private readonly projectors: Projectors,
    private readonly runs: InvocationRuns, private readonly leases: Leases, private readonly clock: Clock, @Inject(Settings) settings: Settings,
  ) {
    this.leaseMs = settings.leaseSeconds * 1000;
  }

  onApplicationBootstrap(): void {
    this.schedule(soonMs);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.polling;
  }

  /** Looks at every invocation that is not over, once. */
  async poll(): Promise<void> {
    if (!this.projectors.caughtUp) return;
    const seen = new Map<string, number>();
    let after: QueryCursor | null = null;
    do {
      const found = await this.readStore.query({ collection: collectionOf(openInvocationsProjection), scope: ['*'], limit: page, ...(after ? { after } : {}) });
      for (const { key, doc } of found.rows) if (!this.runs.holds(key)) await this.consider(String(doc.org_id), key, seen);
      after = found.next;
    } while (after && !this.closed);
    this.sightings = seen;
  }

  private schedule(ms: number): void {
    if (this.closed) return;
    const dueAt = this.clock.monotonic() + ms;
    this.timer = this.clock.after(ms, () => {
      if (this.stoodStill(dueAt)) this.sightings.clear(); // the holders may have stood still as well
      this.polling = this.poll().catch((error: unknown) => {
        if (error instanceof StoreUnavailable) this.log.warn(error.message);
        else this.log.error(error instanceof Error ? error.stack : String(error));
      }).then(() => { this.schedule(this.projectors.caughtUp ? pollEveryMs : soonMs); });
    });
  }

  private async consider(orgId: string, invocationId: string, seen: Map<string, number>): Promise<void> {
    const askedAt = this.clock.monotonic();
    const { state } = await this.decisions.load(invocationKind, idPart(invocationId));
    if (!state.opening || state.end || !this.runs.hasRoom(orgId)) return;
    if (!this.store.soleWriter) {
      const [holder] = await this.leases.holders([invocationLease(invocationId)]);
      const now = this.clock.monotonic();
      if (holder || this.stoodStill(askedAt)) return;
      const key = `${invocationId} ${state.runs}`;
      const since = this.sightings.get(key) ?? now;
      seen.set(key, since);
      if (now - since < this.leaseMs) return;
    }
    await this.takeOver(orgId, invocationId, state);
  }

  private async takeOver(orgId: string, invocationId: string, { runs: deadRun, opening }: InvocationState): Promise<void> {
    const part = idPart(invocationId);
    const act = serviceAct(orgId, opening?.actor.principal_id ?? 'recovery', invocationId, opening?.actor.kind ?? 'system');
    await this.runs.begin(orgId, invocationId, async () => {
      const [started] = await this.decisions.read(invocationKind, part, { limit: 1 });
      const { events } = await this.decisions.run(invocationKind, part, act, (past) => takeInvocationOver({ deadRun, now: rfc3339(this.clock.now()) }, past));
      if (started?.type !== 'InvocationStarted' || !events.some(({ type }) => type === 'InvocationTakenOver')) return null;
      const recorded: RecordedInvocation = { opening: started.data.opening, caller: started.data.caller, input: started.data.input };
      return recorded;
    });
  }

  /** So much later than expected that this process was suspended: what it did not see then says nothing. */
  private stoodStill(expectedAt: number): boolean {
    return this.clock.monotonic() - expectedAt > this.leaseMs / 2;
  }
}
