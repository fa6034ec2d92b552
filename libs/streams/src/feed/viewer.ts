import type { EncodedFrame } from '../frames/encoded.frames.js';
import type { CallPositions } from '../frames/tool-status.frames.js';
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

/** What a viewer needs of the feed that it reads from; one for all viewers of a protocol. */
export interface ViewerSource {
  /**
   * Newest revision that the feed has seen. No accessor: an object with one that is made for each feed has a shape of
   * its own, and that keeps the feed until the next full collection.
   */
  head(): number;
  /**
   * Frames of a revision at or below the head and of those behind it, without a gap; read from the log where they are
   * not kept.
   */
  deliveries(viewer: Viewer, from: number): Promise<Delivery[]> | Delivery[];
  /** Called once, when everything up to the cut was written: gives what stands between history and live. */
  joinFrames(viewer: Viewer): readonly EncodedFrame[];
  /** The last frame of a viewer that has seen everything, or null while there is more to come. */
  closingFrame(viewer: Viewer): EncodedFrame | null;
  /** The frame for a reader whose live frames were dropped (rule F24); `ends` closes the stream after it. */
  overflowFrame(viewer: Viewer): { frame: EncodedFrame; ends: boolean };
  /** The log did not answer: the viewer is woken again later. */
  trouble(error: unknown): void;
  /**
   * The viewer waits, or could not go on (`true`), and has written everything again: upkeep looks after those that
   * wait.
   */
  needsUpkeep(viewer: Viewer, isUpkeepNeeded: boolean): void;
  /** Live frames were dropped: the reader is too slow. */
  dropped(frames: number): void;
  now(): number;
}

interface Waiting {
  frame: EncodedFrame;
  /** Goes out after this revision. */
  after: number;
}

/** Shared empty page of all viewers without deliveries at hand. */
const nothing: readonly never[] = [];

/**
 * One reader's place in a session. Durable frames are pulled by revision, exactly the next one each time, from the
 * feed's memory or the log; live frames wait in a short queue and are dropped when the reader is slow. It has no timer
 * of its own.
 */
export class Viewer {
  /** Revision to deliver next. */
  next: number;
  private joined = false;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private overflown = false;
  private ended = false;
  private busy = false;
  private isUpkeepNeeded = false;
  private page: readonly Delivery[] = nothing;
  /** Deliveries of the page that are done. */
  private done = 0;
  private positions: CallPositions | null = null;
  /** Frames of the next revision that went out. */
  private written = 0;
  private blockedSince: number | null = null;

  constructor(
    readonly sink: FrameSink,
    private readonly source: ViewerSource,
    /** Last revision that the reader has. */
    after: number,
    /** Last revision of history: what comes behind it is live. */
    readonly cut: number,
    /** Ends when this turn is final (rule T26). */
    readonly untilFinal: string | null = null,
  ) {
    this.next = after + 1;
  }

  /** Live frames reach a viewer that has seen history. */
  get isLive(): boolean {
    return this.joined;
  }

  /** Where the tool calls of the history are that this viewer was sent. */
  get calls(): CallPositions {
    this.positions ??= new Map();
    return this.positions;
  }

  /** Offers a live frame; it is dropped when the reader is not there yet or too slow. */
  live(frame: EncodedFrame, after: number): void {
    if (!this.joined || this.overflown || this.ended || !this.sink.isOpen) return;
    if (this.waiting.length >= waitingFramesMax || this.waitingBytes + frame.bytes.length > waitingBytesMax) {
      this.source.dropped(this.waiting.length + 1);
      this.waiting.length = 0;
      this.waitingBytes = 0;
      this.overflown = true;
      return;
    }
    this.waiting.push({ frame, after });
    this.waitingBytes += frame.bytes.length;
  }

  /** There may be something to write. What can be written is written before this returns. */
  wake(): void {
    if (this.ended || this.busy) return;
    let wait: Promise<unknown> | null;
    try {
      wait = this.writeOn();
    } catch (error) {
      this.rest(false);
      this.source.trouble(error);
      return;
    }
    this.rest(!wait);
    if (!wait) return;
    this.busy = true;
    wait.then(
      () => {
        this.busy = false;
        this.wake();
      },
      (error: unknown) => {
        this.busy = false; // woken again by the next upkeep
        this.source.trouble(error);
      },
    );
  }

  private rest(isResting: boolean): void {
    if (this.isUpkeepNeeded === !isResting) return;
    this.isUpkeepNeeded = !isResting;
    this.source.needsUpkeep(this, this.isUpkeepNeeded);
  }

  /** Output is due and no write is under way: the log did not answer, or the notification was lost. */
  get isBehind(): boolean {
    return (
      !this.ended &&
      !this.busy &&
      (!this.joined || this.waiting.length > 0 || this.overflown || this.next <= this.source.head())
    );
  }

  /** Milliseconds since the reader took the last byte; 0 while it keeps up. */
  stalledMs(): number {
    return this.blockedSince === null ? 0 : this.source.now() - this.blockedSince;
  }

  /** Writes as far as it can; gives what has to be waited for, or null when there is nothing more to do now. */
  private writeOn(): Promise<unknown> | null {
    for (;;) {
      if (!this.sink.isReady) return this.sink.isOpen ? this.drained() : null;
      this.join();
      if (this.writeLive() || this.writeDurable()) continue;
      if (this.next > this.source.head()) {
        this.finish();
        return null;
      }
      const found = this.source.deliveries(this, this.next);
      if (!Array.isArray(found))
        return found.then((page) => {
          this.take(page);
        });
      this.take(found);
    }
  }

  private take(page: readonly Delivery[]): void {
    this.page = page;
    this.done = 0;
  }

  /** Waits for a slow reader. */
  private async drained(): Promise<void> {
    this.blockedSince = this.source.now();
    await this.sink.drained();
    this.blockedSince = null;
  }

  /**
   * Writes one durable frame: those of exactly the next revision, in order; a lower revision was delivered before.
   * False when none is at hand.
   */
  private writeDurable(): boolean {
    const delivery = this.page[this.done];
    if (!delivery) return false;
    if (delivery.revision > this.next) throw new Error(`revision ${delivery.revision} instead of ${this.next}`);
    const frame = delivery.revision === this.next ? delivery.frames[this.written] : undefined;
    if (frame) {
      this.written += 1;
      this.sink.write(frame.bytes);
      return true;
    }
    this.done += 1;
    if (this.done === this.page.length) this.take(nothing);
    this.written = 0;
    if (delivery.revision === this.next) this.next += 1;
    return true;
  }

  private join(): void {
    if (this.joined || this.next <= this.cut) return;
    this.joined = true;
    this.positions = null; // what is sent from here on comes from the feed's memory, or is looked up again
    const after = this.source.head();
    this.waiting = this.source.joinFrames(this).map((frame) => ({ frame, after }));
    for (const { frame } of this.waiting) this.waitingBytes += frame.bytes.length;
  }

  /** Writes the first live frame whose turn it is, never between the frames of one revision. */
  private writeLive(): boolean {
    const first = this.waiting[0];
    if (!first || first.after >= this.next || this.written > 0) return false;
    this.waiting.shift();
    this.waitingBytes -= first.frame.bytes.length;
    this.sink.write(first.frame.bytes);
    return true;
  }

  /** Everything there was is written. */
  private finish(): void {
    if (this.overflown) {
      this.overflown = false;
      const { frame, ends } = this.source.overflowFrame(this);
      this.sink.write(frame.bytes);
      if (ends) {
        this.end();
        return;
      }
    }
    const closing = this.source.closingFrame(this);
    if (!closing) return;
    this.sink.write(closing.bytes);
    this.end();
  }

  private end(): void {
    this.ended = true;
    this.sink.end();
  }
}
