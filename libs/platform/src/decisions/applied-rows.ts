/** No revision, nor the one before the first. */
const none = -2;

/**
 * The rows of one stream that this process' writers put, of each projection of its category by the projection's number:
 * the revisions, without a gap, whose rows were put. Another process may have failed to put those before.
 */
export class AppliedRows {
  /** The write of rows that is under way: writers of one stream take turns, so there is one at most. */
  underWay: Promise<void> | null = null;
  /** Of each projection the first revision and the last one. */
  private readonly ranges: number[];

  constructor(projections: number) {
    this.ranges = new Array<number>(2 * projections).fill(none);
  }

  /** Notes the rows of one append: its first revision, and its last. */
  note(projection: number, first: number, last: number): void {
    if (this.last(projection) !== first - 1) this.ranges[2 * projection] = first;
    this.ranges[2 * projection + 1] = last;
  }

  drop(projection: number): void {
    this.ranges[2 * projection + 1] = none;
  }

  /** Whether the rows of the state at a revision or at a later one were put. */
  has(projection: number, revision: number): boolean {
    return this.last(projection) >= revision;
  }

  /** Whether the rows that the event of a revision made were put. */
  hasOfEvent(projection: number, revision: number): boolean {
    return (this.ranges[2 * projection] ?? none) <= revision && this.has(projection, revision);
  }

  private last(projection: number): number {
    return this.ranges[2 * projection + 1] ?? none;
  }
}
