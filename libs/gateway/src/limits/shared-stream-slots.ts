import { StoreUnavailable, type Clock, type Identity, type Ids } from '@aos/kernel';
import { tooManyStreams, type Log, type StreamSlotSource } from '@aos/platform';

/** Sets of members that end by themselves unless they are renewed. Every call refuses `StoreUnavailable`. */
export interface SharedMembers {
  /**
   * Puts a member into each set, or into none when one is full.
   *
   * Gives  the place of the set that is full, or -1, and how many members each had before.
   */
  join(
    orgId: string,
    member: string,
    sets: readonly { name: string; limit: number }[],
    forMs: number,
  ): Promise<{ full: number; counts: number[] }>;
  /** Renews members, and puts back those that were lost. */
  renew(orgId: string, set: string, members: readonly string[], forMs: number): Promise<void>;
  leave(orgId: string, member: string, sets: readonly string[]): Promise<void>;
}

/** Members are renewed this often; those of a gateway that is gone are forgotten after so long. */
const renewMs = 10_000;
const forgottenMs = 30_000;
const renewedAtOnce = 500;

interface OpenSlot {
  orgId: string;
  member: string;
  sets: string[];
}

/**
 * Caps of open streams per key and organization that hold for all gateways together; the cap of the process is its own
 * (rule L16).
 *
 * While the shared store does not answer each gateway counts for itself; what was opened meanwhile is counted for all
 * once it answers again.
 */
export class SharedStreamSlots implements StreamSlotSource {
  private readonly slots = new Set<OpenSlot>();
  private readonly gatewayId: string;
  private taken = 0;
  private timer: { cancel(): void } | null = null;
  private isClosed = false;

  constructor(
    private readonly shared: SharedMembers,
    private readonly local: { take(who: Identity): () => void },
    private readonly limits: { perKey: number; perOrg: number },
    private readonly parts: { clock: Clock; log: Log; ids: Ids },
  ) {
    this.gatewayId = parts.ids.ulid();
  }

  async take(who: Identity): Promise<() => void> {
    const releaseHere = this.local.take(who);
    const caps = this.capsOf(who);
    if (caps.length === 0) return releaseHere;
    const slot: OpenSlot = {
      orgId: who.orgId,
      member: `${this.gatewayId}:${(this.taken += 1)}`,
      sets: caps.map(({ name }) => name),
    };
    try {
      const { full, counts } = await this.shared.join(who.orgId, slot.member, caps, forgottenMs);
      const cap = caps[full];
      if (cap) throw tooManyStreams(cap.scope, counts[full] ?? cap.limit, cap.limit);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        releaseHere();
        throw error;
      }
    }
    this.slots.add(slot);
    this.arm();
    return () => {
      releaseHere();
      if (this.slots.delete(slot)) this.left(slot);
    };
  }

  /** Renews no more: what is still held ends by itself. */
  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private capsOf({ principalId, apiKeyId }: Identity): { scope: 'key' | 'org'; name: string; limit: number }[] {
    const caps = [
      { scope: 'key' as const, name: `k:${apiKeyId ?? principalId}`, limit: this.limits.perKey },
      { scope: 'org' as const, name: 'o', limit: this.limits.perOrg },
    ];
    return caps.filter(({ limit }) => limit > 0);
  }

  private left({ orgId, member, sets }: OpenSlot): void {
    this.shared.leave(orgId, member, sets).catch((error: unknown) => {
      this.parts.log.debug('a stream slot is left to end by itself', { error });
    });
  }

  private arm(): void {
    if (this.isClosed || this.slots.size === 0) return;
    this.timer ??= this.parts.clock.after(renewMs, () => {
      void this.renew().finally(() => {
        this.timer = null;
        this.arm();
      });
    });
  }

  private async renew(): Promise<void> {
    try {
      for (const { orgId, set, all } of this.bySet()) await this.renewSet(orgId, set, all);
    } catch (error) {
      this.parts.log.debug('stream slots were not renewed', { error });
    }
  }

  private bySet(): Iterable<{ orgId: string; set: string; all: OpenSlot[] }> {
    const sets = new Map<string, { orgId: string; set: string; all: OpenSlot[] }>();
    for (const slot of this.slots) {
      for (const set of slot.sets) {
        const name = `${slot.orgId}/${set}`;
        const known = sets.get(name) ?? { orgId: slot.orgId, set, all: [] };
        known.all.push(slot);
        sets.set(name, known);
      }
    }
    return sets.values();
  }

  /** Streams that ended while others were being renewed are not put back. */
  private async renewSet(orgId: string, set: string, all: readonly OpenSlot[]): Promise<void> {
    for (let at = 0; at < all.length; at += renewedAtOnce) {
      const open = all.slice(at, at + renewedAtOnce).filter((slot) => this.slots.has(slot));
      if (open.length > 0)
        await this.shared.renew(
          orgId,
          set,
          open.map(({ member }) => member),
          forgottenMs,
        );
    }
  }
}
