/** A row of the log that `stream_index` does not have yet. */
export interface IndexRow {
  readonly stream: string;
  /** Of the append's last event, as the position. */
  readonly rev: number;
  readonly pos: number;
  readonly n: number;
  readonly bytes: number;
}

/** Appends that are in the log and not yet in its index, in log order, and by stream. */
export class UnindexedAppends {
  private rows: IndexRow[] = [];
  private readonly streams = new Map<string, IndexRow[]>();
  private eventCount = 0;
  private byteCount = 0;

  get size(): number {
    return this.rows.length;
  }

  get events(): number {
    return this.eventCount;
  }

  get bytes(): number {
    return this.byteCount;
  }

  add(row: IndexRow): void {
    this.rows.push(row);
    const ofStream = this.streams.get(row.stream);
    if (ofStream) ofStream.push(row);
    else this.streams.set(row.stream, [row]);
    this.count(row, 1);
  }

  /** The newest revision of a stream here; null when it has none here. */
  head(stream: string): number | null {
    return this.streams.get(stream)?.at(-1)?.rev ?? null;
  }

  /** The row that holds a revision of a stream; null when none here does. */
  find(stream: string, revision: number): IndexRow | null {
    return this.streams.get(stream)?.find(({ rev, n }) => revision <= rev && revision > rev - n) ?? null;
  }

  /** All of a stream, oldest first. */
  ofStream(stream: string): readonly IndexRow[] {
    return this.streams.get(stream) ?? [];
  }

  /** The oldest. */
  first(count: number): readonly IndexRow[] {
    return this.rows.slice(0, count);
  }

  /** The oldest go: they are in the index. */
  dropFirst(count: number): void {
    for (const row of this.rows.slice(0, count)) {
      this.streams.get(row.stream)?.shift();
      this.settle(row);
    }
    this.rows = this.rows.slice(count);
  }

  /** The newest go, until so many are left: they were not written. */
  dropTo(size: number): void {
    while (this.rows.length > size) {
      const row = this.rows.pop()!;
      this.streams.get(row.stream)?.pop();
      this.settle(row);
    }
  }

  private settle(row: IndexRow): void {
    if (this.streams.get(row.stream)?.length === 0) this.streams.delete(row.stream);
    this.count(row, -1);
  }

  private count({ n, bytes }: IndexRow, sign: 1 | -1): void {
    this.eventCount += sign * n;
    this.byteCount += sign * bytes;
  }
}
