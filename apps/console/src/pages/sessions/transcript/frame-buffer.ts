import type { TranscriptFrame } from '@aos/client';

export interface SeenFrame extends TranscriptFrame {
  /** Counts all frames that came, also those that are no longer kept. */
  number: number;
  at: number;
}

/** The newest frames of a stream, as they came. */
export class FrameBuffer {
  private frames: SeenFrame[] = [];
  private count = 0;
  private view: readonly SeenFrame[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly max: number = 300) {}

  add(frame: TranscriptFrame, at: number): void {
    this.count += 1;
    this.frames.push({ ...frame, number: this.count, at });
    if (this.frames.length > this.max * 2) this.frames = this.frames.slice(-this.max);
  }

  /** Newest last; the same array until the next flush with frames that it lacks. */
  get kept(): readonly SeenFrame[] {
    return this.view;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  flush(): void {
    if (this.view.at(-1)?.number === this.frames.at(-1)?.number) return;
    this.view = this.frames.slice(-this.max);
    for (const listener of [...this.listeners]) listener();
  }
}
