import { ApiError } from './api-error.js';
import { framesOf, type ReadFrame } from './frames.js';
import { anySignal, delayOf, isTransient, pause } from './retry.js';
import type { Frame } from './wire.js';

/** What a frame means for its reader: given on, known already, or the end of this connection or of all. */
export type Meaning = 'new' | 'known' | 'rotate' | 'end';

export interface FollowOptions {
  /** Position to begin behind. */
  after?: string;
  signal?: AbortSignal;
  /** How long the service may be away before the iteration fails; 5 minutes when left out. */
  patienceMs?: number;
  /** Called when a connection is open, and when one was lost or could not be made and another will be tried. */
  connection?: (state: 'open' | 'lost') => void;
}

const patienceDefaultMs = 300_000;

/**
 * An event stream that comes back by itself: over cuts, rotations, restarts and slow readers it goes on behind the last
 * frame that was given. It is read once; `close()` ends it, and a signal of the caller breaks it off with its reason.
 */
export abstract class Reconnecting<Data> implements AsyncIterable<Frame<Data>> {
  private readonly closing = new AbortController();
  private readonly signal: AbortSignal;
  /** Texts of the frames that were given at the position: a server that resumes there sends them again. */
  private given = new Set<string>();
  private position: string | null;
  private failures = 0;
  /** First failure since the service was reached last; null while there is none. */
  private awaySince: number | null = null;

  constructor(private readonly options: FollowOptions) {
    this.position = options.after ?? null;
    this.signal = anySignal([options.signal, this.closing.signal]) as AbortSignal;
  }

  /** Position of the last frame that was given; a follower that begins behind it loses and repeats nothing. */
  get cursor(): string | null {
    return this.position;
  }

  close(): void {
    this.closing.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame<Data>, void, undefined> {
    for (;;) {
      let meaning: Meaning = 'known';
      try {
        for await (const frame of framesOf(() => this.connect())) {
          meaning = this.meaningOf(frame);
          if (meaning === 'rotate') break;
          if (meaning !== 'known') yield this.taken(frame);
          if (meaning === 'end') return;
        }
      } catch (error) {
        if (this.closing.signal.aborted) return;
        this.options.signal?.throwIfAborted();
        if (!isTransient(error) || this.isTired()) throw error;
        this.options.connection?.('lost');
        await this.rest(error);
        continue;
      }
      if (this.closing.signal.aborted) return;
      await this.rest(null);
    }
  }

  /** Opens the stream behind a position. */
  protected abstract open(cursor: string | null, signal: AbortSignal): Promise<Response>;

  /** Judges a frame; moves the position where the frame says it. */
  protected abstract meaningOf(frame: ReadFrame): Meaning;

  /** Whether a frame was given before; notes it and its position else. */
  protected isRepeat({ id, text }: ReadFrame): boolean {
    if (id === undefined) return false;
    if (id !== this.position) this.moveTo(id);
    if (this.given.has(text)) return true;
    this.given.add(text);
    return false;
  }

  protected moveTo(position: string | null): void {
    if (position === this.position) return;
    this.position = position;
    this.given.clear();
  }

  /** Where the next connection begins. */
  protected get resumeAt(): string | null {
    return this.position;
  }

  /** Waits where a stream has ended for now; refuses when it was closed. */
  protected wait(ms: number, also?: AbortSignal): Promise<void> {
    return pause(ms, anySignal([this.signal, also]));
  }

  /** The end of a connection was no failure: the next one comes without a pause. */
  protected calm(): void {
    this.failures = 0;
  }

  private async connect(): Promise<Response> {
    const response = await this.open(this.resumeAt, this.signal);
    this.awaySince = null;
    this.options.connection?.('open');
    return response;
  }

  private taken({ text: _text, ...frame }: ReadFrame): Frame<Data> {
    this.failures = 0;
    return frame as Frame<Data>;
  }

  private isTired(): boolean {
    this.awaySince ??= Date.now();
    return Date.now() - this.awaySince > (this.options.patienceMs ?? patienceDefaultMs);
  }

  /** Between two connections: at once after frames came, longer from failure to failure. */
  private async rest(error: unknown): Promise<void> {
    this.failures += 1;
    const asked = error instanceof ApiError && error.retryAfterMs !== null;
    const delay = this.failures === 1 && !asked ? 0 : (delayOf(this.failures, error) ?? 60_000);
    try {
      await this.wait(delay);
    } catch (stopped) {
      if (!this.closing.signal.aborted) throw stopped;
    }
  }
}
