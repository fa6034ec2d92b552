import { FairQueue } from '@aos/kernel';

/** What waits to be written: of which organization, and its bytes. */
export interface Queued {
  orgId: string;
  bytes: number;
}

export interface QueueBounds {
  /** Appends that wait at most, and their bytes. One organization has half of each. */
  appends: number;
  bytes: number;
}

/**
 * What waits to be written, in one queue for each organization. Organizations take turns, and the appends of one keep
 * their order, so that a flood of one delays no other.
 */
export class AppendQueue<T extends Queued> {
  private readonly queue: FairQueue<T>;
  private readonly bytesOf = new Map<string, number>();
  private bytes = 0;

  constructor(private readonly bounds: QueueBounds) {
    this.queue = new FairQueue(Math.ceil(bounds.appends / 2), bounds.appends);
  }

  get size(): number {
    return this.queue.size;
  }

  /** Why an organization's next append cannot wait here; null when it can. */
  refusal(orgId: string): string | null {
    if (!this.queue.hasRoom(orgId)) return `${this.queue.size} appends are waiting`;
    const ofOrganization = this.bytesOf.get(orgId) ?? 0;
    if (this.bytes >= this.bounds.bytes || ofOrganization >= this.bounds.bytes / 2)
      return `${this.bytes} bytes are waiting to be appended`;
    return null;
  }

  push(item: T): void {
    this.queue.push(item.orgId, item);
    this.addBytes(item.orgId, item.bytes);
  }

  /** Takes the next ones in fair order: at least one if any waits, at most so many, and none after so many bytes. */
  take(countMax: number, bytesMax: number): T[] {
    const taken: T[] = [];
    let bytes = 0;
    while (taken.length < countMax && bytes < bytesMax) {
      const item = this.queue.shift(() => true);
      if (!item) break;
      this.addBytes(item.orgId, -item.bytes);
      bytes += item.bytes;
      taken.push(item);
    }
    return taken;
  }

  private addBytes(orgId: string, bytes: number): void {
    this.bytes += bytes;
    const sum = (this.bytesOf.get(orgId) ?? 0) + bytes;
    if (sum === 0) this.bytesOf.delete(orgId);
    else this.bytesOf.set(orgId, sum);
  }
}
