/** Things that wait, one line for each organization; the organizations take turns, so that a long line holds up nobody in another. */
export class FairLine<T> {
  private readonly lines = new Map<string, T[]>();
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
    return this.lines.get(orgId)?.length ?? 0;
  }

  push(orgId: string, waiting: T): void {
    const line = this.lines.get(orgId);
    if (line) line.push(waiting);
    else this.lines.set(orgId, [waiting]);
    this.count += 1;
  }

  /** The first of the next organization in turn that may go on; undefined when none waits that may. */
  shift(mayGoOn: (orgId: string) => boolean): T | undefined {
    for (const [orgId, line] of this.lines) {
      if (!mayGoOn(orgId)) continue;
      const first = line.shift();
      this.lines.delete(orgId);
      if (line.length > 0) this.lines.set(orgId, line); // behind the others
      if (first !== undefined) this.count -= 1;
      return first;
    }
    return undefined;
  }

  clear(): void {
    this.lines.clear();
    this.count = 0;
  }
}
