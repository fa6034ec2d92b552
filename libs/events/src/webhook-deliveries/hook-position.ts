import {
  RevisionConflict,
  rfc3339,
  type Clock,
  type EventStore,
  type ExpectedRevision,
  type Ids,
  type JsonObject,
} from '@aos/kernel';
import { keptDeliveries, type Deliveries, type Redelivery } from './backlog.js';

export interface PositionParts {
  store: EventStore;
  clock: Clock;
  ids: Ids;
}

/** Another process has claimed the hook: this one must send nothing more of it. */
export class HookTakenOver extends Error {}

const truncateEvery = 20;
const claimsMax = 100;

/**
 * What a hook has delivered, in its own stream `hookpos-<id>`, kept at one event. Who delivers appends a claim first:
 * what a late predecessor keeps conflicts and stops it. A request for a redelivery is put in by whichever process
 * was asked, under the name of the one that delivers, which takes it up.
 */
export class HookPosition {
  private revision: ExpectedRevision = 'none';

  constructor(
    private readonly parts: PositionParts,
    private readonly orgId: string,
    private readonly webhookId: string,
    private readonly owner: string,
  ) {}

  /** Gives what was kept; null: the hook has begun nowhere yet. Refuses `StoreUnavailable`. */
  async claim(): Promise<Deliveries | null> {
    for (let tried = 0; tried < claimsMax; tried += 1) {
      const last = await this.last();
      try {
        await this.append(last?.revision ?? 'none', this.owner, last?.deliveries ?? null);
        return last?.deliveries ?? null;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
    throw new HookTakenOver(`${this.webhookId} is claimed again and again`);
  }

  /**
   * Keeps what is given, once more with a redelivery that was asked for meanwhile.
   *
   * Gives    that redelivery; null: none was asked for.
   * Refuses  `HookTakenOver`; `StoreUnavailable`.
   */
  async keep(deliveries: Deliveries): Promise<Redelivery | null> {
    let asked: Redelivery | null = null;
    for (let tried = 0; tried < claimsMax; tried += 1) {
      try {
        await this.append(this.revision, this.owner, asked ? { ...deliveries, redelivery: asked } : deliveries);
        return asked;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        const last = await this.last();
        if (last?.owner !== this.owner) throw new HookTakenOver(`${this.webhookId} was taken over`);
        this.revision = last.revision;
        asked = last.deliveries?.redelivery ?? asked;
      }
    }
    throw new HookTakenOver(`${this.webhookId} changes again and again`);
  }

  /** The last that was kept, with who delivers; null before the first. Refuses `StoreUnavailable`. */
  async last(): Promise<{ revision: number; owner: string; deliveries: Deliveries | null } | null> {
    const [last] = await this.parts.store.read(this.stream, { backwards: true, limit: 1 });
    if (!last) return null;
    const deliveries = last.data.deliveries === null ? null : keptDeliveries(last.data);
    return { revision: last.revision, owner: String(last.data.owner), deliveries };
  }

  /** Puts a request in. Refuses `RevisionConflict` when it changed since it was read. */
  ask(last: { revision: number; owner: string } | null, deliveries: Deliveries): Promise<void> {
    return this.append(last?.revision ?? 'none', last?.owner ?? this.owner, deliveries);
  }

  private get stream(): string {
    return `hookpos-${this.webhookId}`;
  }

  private async append(expected: ExpectedRevision, owner: string, deliveries: Deliveries | null): Promise<void> {
    const { store, clock, ids } = this.parts;
    const { revision } = await store.append(this.stream, expected, [
      {
        id: ids.uuid(),
        type: 'HookMoved',
        data: { owner, deliveries } satisfies JsonObject,
        meta: { schema_version: '1', org_id: this.orgId, recorded_at: rfc3339(clock.now()) },
      },
    ]);
    this.revision = revision;
    if (revision > 0 && revision % truncateEvery === 0) await store.truncate(this.stream, revision);
  }
}
