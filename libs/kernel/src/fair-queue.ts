/**
 * What waits, in one queue for each organization. The organizations take turns, so that a long queue delays no other
 * organization.
 */
export class FairQueue<T> {
  private readonly queues = new Map<string, T[]>();
  private count = 0;

  /** How much waits of one organization, and of all together, at most. */
  constructor(
    private readonly perOrganizationMax: number,
    private readonly max: number,
  ) {}

  get size(): number {
    return this.count;
  }

  hasRoom(orgId: string): boolean {
    return this.count < this.max && this.countOf(orgId) < this.perOrganizationMax;
  }

  countOf(orgId: string): number {
    return this.queues.get(orgId)?.length ?? 0;
  }

  push(orgId: string, waiting: T): void {
    const queue = this.queues.get(orgId);
    if (queue) queue.push(waiting);
    else this.queues.set(orgId, [waiting]);
    this.count += 1;
  }

  /** The first of the next organization in turn that may go on; undefined when none waits that may. */
  shift(mayGoOn: (orgId: string) => boolean): T | undefined {
    for (const [orgId, queue] of this.queues) {
      if (!mayGoOn(orgId)) continue;
      const first = queue.shift();
      if (queue.length === 0) this.queues.delete(orgId);
      else if (this.queues.size > 1) {
        this.queues.delete(orgId);
        this.queues.set(orgId, queue); // behind the others
      }
      if (first !== undefined) this.count -= 1;
      return first;
    }
    return undefined;
  }

  clear(): void {
    this.queues.clear();
    this.count = 0;
  }
}
