import type { EncodedFrame } from '../frames/frame.js';
import { waitingBytesMax, waitingFramesMax } from './stream.limits.js';

/** Where frames go: the platform's `SseConnection`, or a test's list. */
export interface FrameSink {
  readonly isOpen: boolean;
  /** False while the reader does not keep up. */
  readonly isReady: boolean;
  write(bytes: Buffer): boolean;
  drained(): Promise<void>;
  end(): void;
  destroy(): void;
}

/** A revision's frames for one viewer. */
export interface Delivery {
  revision: number;
  frames: readonly EncodedFrame[];
}

/** What a viewer needs of the feed that it reads from. */
export interface ViewerSource {
  /** Newest revision that the feed has seen. */
  readonly head: number;
  /** Frames of a revision at or below the head and of those behind it, without a gap; read from the log where they are not kept. */
  deliveries(viewer: Viewer, from: number): Promise<Delivery[]> | Delivery[];
  /** Called once, when everything up to the cut was written: gives what stands between history and live. */
  joinFrames(viewer: Viewer): readonly EncodedFrame[];
  /** The last frame of a viewer that has seen everything, or null while there is more to come. */
  closingFrame(viewer: Viewer): EncodedFrame | null;
  /** What a reader is told whose live frames were dropped (decision F24); `ends` closes the stream after it. */
  overflowFrame(viewer: Viewer): { frame: EncodedFrame; ends: boolean };
  /** The log did not answer: the viewer is woken again later. */
  trouble(error: unknown): void;
  now(): number;
}

interface Waiting {
  frame: EncodedFrame;
  /** Goes out after this revision. */
  after: number;
}

/**
 * One reader's place in a session. Durable frames are pulled by revision, exactly the next one each time, from the feed's memory or the log;
 * live frames wait in a short queue and are dropped when the reader is slow. It has no timer of its own.
 */
export class Viewer {
  /** Revision to deliver next. */
  next: number;
  private joined = false;
  private readonly waiting: Waiting[] = [];
  private waitingBytes = 0;
  private overflown = false;
  private ended = false;
  private pumping = false;
  private again = false;
  private blockedSince: number | null = null;

  constructor(
    readonly sink: FrameSink,
    private readonly source: ViewerSource,
    /** Last revision that the reader has. */
    after: number,
    /** Last revision of history: what comes behind it is live. */
    readonly cut: number,
  ) {
    this.next = after + 1;
  }

  /** Live frames reach a viewer that has seen history. */
  get isLive(): boolean {
    return this.joined;
  }

  /** Offers a live frame; it is dropped when the reader is not there yet or too slow. */
  live(frame: EncodedFrame, after: number): void {
    if (!this.joined || this.overflown || this.ended || !this.sink.isOpen) return;
    if (this.waiting.length >= waitingFramesMax || this.waitingBytes + frame.bytes.length > waitingBytesMax) {
      this.waiting.length = 0;
      this.waitingBytes = 0;
      this.overflown = true;
      return;
    }
    this.waiting.push({ frame, after });
    this.waitingBytes += frame.bytes.length;
  }

  /** There may be something to write. */
  wake(): void {
    if (this.ended) return;
    if (this.pumping) {
      this.again = true;
      return;
    }
    this.pumping = true;
    this.pump().catch((error: unknown) => { this.source.trouble(error); }).finally(() => {
      this.pumping = false;
      if (this.again) {
        this.again = false;
        this.wake();
      }
    });
  }

  /** Milliseconds since the reader took the last byte; 0 while it keeps up. */
  stalledMs(): number {
    return this.blockedSince === null ? 0 : this.source.now() - this.blockedSince;
  }

  private async pump(): Promise<void> {
    for (;;) {
      this.again = false;
      if (!(await this.ready())) return;
      this.join();
      if (this.flushOne()) continue;
      if (this.next <= this.source.head) {
        const found = this.source.deliveries(this, this.next);
        for (const delivery of Array.isArray(found) ? found : await found) if (!(await this.deliver(delivery))) return;
        continue;
      }
      if (this.overflown && !this.tellOverflow()) return;
      const closing = this.source.closingFrame(this);
      if (closing) {
        this.sink.write(closing.bytes);
        this.end();
        return;
      }
      if (!this.again) return;
    }
  }

  /** Waits for a slow reader; false when it is gone. */
  private async ready(): Promise<boolean> {
    if (this.sink.isReady) return true;
    this.blockedSince = this.source.now();
    await this.sink.drained();
    this.blockedSince = null;
    return this.sink.isOpen;
  }

  /** Writes the frames of exactly the next revision; a lower one was delivered before. */
  private async deliver(delivery: Delivery): Promise<boolean> {
    if (delivery.revision < this.next) return true;
    if (delivery.revision > this.next) throw new Error(`revision ${delivery.revision} instead of ${this.next}`);
    while (this.flushOne()) if (!(await this.ready())) return false;
    for (const { bytes } of delivery.frames) {
      if (!(await this.ready())) return false;
      this.sink.write(bytes);
    }
    this.next += 1;
    this.join();
    return true;
  }

  private join(): void {
    if (this.joined || this.next <= this.cut) return;
    this.joined = true;
    const after = this.source.head;
    for (const frame of this.source.joinFrames(this)) {
      this.waiting.push({ frame, after });
      this.waitingBytes += frame.bytes.length;
    }
  }

  /** Writes the first live frame whose turn it is. */
  private flushOne(): boolean {
    const first = this.waiting[0];
    if (!first || first.after >= this.next) return false;
    this.waiting.shift();
    this.waitingBytes -= first.frame.bytes.length;
    this.sink.write(first.frame.bytes);
    return true;
  }

  /** False when the stream ends here. */
  private tellOverflow(): boolean {
    this.overflown = false;
    const { frame, ends } = this.source.overflowFrame(this);
    this.sink.write(frame.bytes);
    if (ends) this.end();
    return !ends;
  }

  private end(): void {
    this.ended = true;
    this.sink.end();
  }
}
