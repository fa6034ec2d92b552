import { messageOf, OwnerMap, type Clock, type Member, type Members } from '@aos/kernel';
import { sessionOwners } from './membership.js';

const readEveryMs = 1_000;

/**
 * The owners of partitions as this process knows them: the members of a group, read once a second.
 *
 * Promises: what was read last stays while the members cannot be read.
 * Does not promise: that other processes know the same. It is a hint; the exact revision of an append fences.
 */
export class Owners {
  private known: readonly Member[] = [];
  private last: OwnerMap | null = null;
  private timer: { cancel(): void } | null = null;
  private reading: Promise<void> = Promise.resolve();
  private closed = false;
  private lastFault = '';

  constructor(
    private readonly members: Members,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
    private readonly group = sessionOwners,
  ) {}

  start(): void {
    this.readNow();
  }

  /** Null while no member is known that owns anything. */
  get map(): OwnerMap | null {
    return this.last;
  }

  /** Whether another one than this address would own something. */
  hasOther(address: string): boolean {
    return this.known.some((member) => member.address !== address && member.weight > 0);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.reading;
  }

  private readonly readNow = (): void => {
    this.reading = this.read();
  };

  private async read(): Promise<void> {
    try {
      this.take(await this.members.all(this.group));
      this.lastFault = '';
    } catch (error) {
      const fault = messageOf(error);
      if (fault !== this.lastFault) this.warn(`owners: ${fault}`); // once for each outage
      this.lastFault = fault;
    }
    if (!this.closed) this.timer = this.clock.onBeat(readEveryMs, this.readNow);
  }

  /** The map is made anew only when it changes: it keeps the orders that it worked out. */
  private take(members: readonly Member[]): void {
    const isSame =
      members.length === this.known.length &&
      members.every(({ address, weight }, at) => {
        const before = this.known[at];
        return before?.address === address && before.weight === weight;
      });
    if (isSame) return;
    this.known = members;
    this.last = members.some(({ weight }) => weight > 0) ? new OwnerMap(members) : null;
  }
}
