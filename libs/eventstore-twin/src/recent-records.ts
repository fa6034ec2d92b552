const countMax = 4096;
const bytesMax = 16 * 1024 * 1024;

/** The newest records in memory, bounded by count and bytes, so that live readers do not go to the file. */
export class RecentRecords<T> {
  private records: { value: T; position: number; bytes: number }[] = [];
  private bytes = 0;
  private floor = 0;

  /** Everything up to this position is not here. */
  restart(floor: number): void {
    this.records = [];
    this.bytes = 0;
    this.floor = floor;
  }

  push(value: T, position: number, bytes: number): void {
    this.records.push({ value, position, bytes });
    this.bytes += bytes;
    if (this.records.length <= countMax && this.bytes <= bytesMax) return;
    const dropped = this.records.splice(0, Math.ceil(this.records.length / 2));
    for (const record of dropped) this.bytes -= record.bytes;
    this.floor = dropped.at(-1)?.position ?? this.floor;
  }

  /** Records after a position; undefined when some of them may only be in the file. */
  after(position: number, limit: number): T[] | undefined {
    if (position < this.floor) return undefined;
    const start = this.firstAbove(position);
    return this.records.slice(start, start + limit).map(({ value }) => value);
  }

  /** Records before a position, newest first; undefined when the file has to be asked. */
  before(position: number, limit: number): T[] | undefined {
    const end = this.firstAbove(position - 1);
    return end < limit
      ? undefined
      : this.records
          .slice(end - limit, end)
          .reverse()
          .map(({ value }) => value);
  }

  private firstAbove(position: number): number {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.records[middle]?.position ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
