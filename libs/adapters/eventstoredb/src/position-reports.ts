import type { Position } from '@aos/kernel';

const everyMs = 1000;

/** Tells positions at most once a second, the newest in the end. */
export class PositionReports {
  private latest: Position | undefined;
  private toldAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: ((position: Position) => void) | undefined) {}

  note(position: Position): void {
    if (!this.tell) return;
    this.latest = position;
    this.timer ??= setTimeout(() => this.report(), Math.max(0, this.toldAt + everyMs - performance.now()));
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private report(): void {
    this.timer = undefined;
    if (this.latest === undefined) return;
    this.toldAt = performance.now();
    this.tell?.(this.latest);
  }
}
