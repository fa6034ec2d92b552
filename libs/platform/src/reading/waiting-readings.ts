import { FairQueue } from '@aos/kernel';

/** Of what waits to be read, at most. Its bytes lie in memory meanwhile. */
export interface WaitingBounds {
  readonly count: number;
  readonly bytes: number;
}

interface Sized {
  readonly orgId: string;
  readonly work: { readonly bytes: Uint8Array };
}

/** What waits to be read, the organizations in turns; bounded by number and by bytes. */
export class WaitingReadings<Reading extends Sized> {
  private readonly queue: FairQueue<Reading>;
  private readonly bytesOf = new Map<string, number>();
  private bytes = 0;

  constructor(
    private readonly perOrganizationMax: WaitingBounds,
    private readonly max: WaitingBounds,
  ) {
    this.queue = new FairQueue(perOrganizationMax.count, max.count);
  }

  /** False: there is no room for it. */
  push(reading: Reading): boolean {
    const { orgId, work } = reading;
    const { length } = work.bytes;
    const own = (this.bytesOf.get(orgId) ?? 0) + length;
    const isOver = own > this.perOrganizationMax.bytes || this.bytes + length > this.max.bytes;
    if (isOver || !this.queue.hasRoom(orgId)) return false;
    this.queue.push(orgId, reading);
    this.count(orgId, length);
    return true;
  }

  shift(): Reading | undefined {
    const reading = this.queue.shift(() => true);
    if (reading) this.count(reading.orgId, -reading.work.bytes.length);
    return reading;
  }

  private count(orgId: string, bytes: number): void {
    this.bytes += bytes;
    const own = (this.bytesOf.get(orgId) ?? 0) + bytes;
    if (own === 0) this.bytesOf.delete(orgId);
    else this.bytesOf.set(orgId, own);
  }
}
