/** The frames that one event gives in one protocol, encoded. */
export interface FrameBufferEntry<F> {
  revision: number;
  frames: readonly F[];
  bytes: number;
}

/**
 * The newest entries without a gap between them, within a count and a size. Dropped entries are read from the log again
 * when a viewer needs them.
 */
export class FrameBuffer<F> {
  private entries: FrameBufferEntry<F>[] = [];
  private bytes = 0;

  constructor(
    private readonly entriesMax: number,
    private readonly bytesMax: number,
  ) {}

  push(entry: FrameBufferEntry<F>): void {
    const last = this.entries.at(-1);
    if (last && entry.revision !== last.revision + 1) throw new Error(`entry ${entry.revision} after ${last.revision}`);
    this.entries.push(entry);
    this.bytes += entry.bytes;
    let leaving = 0;
    while (
      this.entries.length - leaving > this.entriesMax ||
      (this.bytes > this.bytesMax && leaving < this.entries.length)
    ) {
      this.bytes -= this.entries[leaving]?.bytes ?? 0;
      leaving += 1;
    }
    if (leaving > 0) this.entries.splice(0, leaving);
  }

  get(revision: number): FrameBufferEntry<F> | undefined {
    const first = this.entries[0]?.revision;
    return first === undefined ? undefined : this.entries[revision - first];
  }

  clear(): void {
    this.entries = [];
    this.bytes = 0;
  }
}
