import { onAbort } from './retry.js';
import { SessionFollow } from './session-follow.js';
import {
  TranscriptFold,
  type Interaction,
  type Snapshot,
  type TranscriptMessage,
  type TranscriptTurn,
} from './transcript-fold.js';
import type { Transport } from './transport.js';

export interface TranscriptOptions {
  signal?: AbortSignal;
  /** Only the newest rows are read at first; else the whole transcript. */
  tail?: boolean;
  /** While the session rests: `wait` (when left out) looks for new turns now and then, `sleep` waits for `wake()`. */
  idle?: 'wait' | 'sleep';
}

const pageRows = 100;
const pagesMax = 100_000;

/**
 * A session as it stands, kept up to date: read whole once, then followed. Arrays and records are new objects when they
 * change and the same ones while they do not. It goes on when the session rests, until `close()`.
 */
export class Transcript {
  /** Fulfilled when the transcript was read; refused when that failed. */
  readonly ready: Promise<void>;
  /** What ended it, other than `close()`. */
  error: unknown = null;
  private readonly fold = new TranscriptFold();
  private readonly closing = new AbortController();
  private readonly subscribers = new Set<() => void>();
  private follower: SessionFollow | null = null;
  private view: { messages: TranscriptMessage[]; turns: TranscriptTurn[]; interactions: Interaction[] } | null = null;

  constructor(
    private readonly transport: Transport,
    private readonly sessionId: string,
    private readonly options: TranscriptOptions = {},
  ) {
    onAbort(options.signal, () => {
      this.close();
    });
    this.ready = this.read().then((cursor) => {
      void this.keepUp(cursor);
    });
    this.ready.catch((error: unknown) => {
      this.fail(error);
    });
  }

  get messages(): readonly TranscriptMessage[] {
    return this.current.messages;
  }

  get turns(): readonly TranscriptTurn[] {
    return this.current.turns;
  }

  get interactions(): readonly Interaction[] {
    return this.current.interactions;
  }

  /** Position up to which it is folded. */
  get cursor(): string | null {
    return this.follower?.cursor ?? null;
  }

  /** Calls back after each change. Gives what stops that. */
  subscribe(changed: () => void): () => void {
    this.subscribers.add(changed);
    return () => {
      this.subscribers.delete(changed);
    };
  }

  /** Looks for a new turn now: for pages that learn of it from `events.follow`. */
  wake(): void {
    this.follower?.wake();
  }

  close(): void {
    this.closing.abort();
    this.follower?.close();
  }

  private get current(): NonNullable<typeof this.view> {
    this.view ??= {
      messages: this.fold.ordered(),
      turns: [...this.fold.turns.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      interactions: [...this.fold.interactions.values()],
    };
    return this.view;
  }

  /** Reads the snapshot; gives the position behind it. */
  private async read(): Promise<string> {
    let query: Record<string, string | number> = { limit: pageRows };
    for (let pages = 1; pages <= pagesMax; pages += 1) {
      const path = { session_id: this.sessionId };
      const page = await this.transport.json<Snapshot>('GET', '/v1/sessions/{session_id}/transcript', {
        path,
        query,
        signal: this.closing.signal,
      });
      const isLast = !page.has_more || this.options.tail === true;
      this.fold.applyPage(page, isLast && !page.has_more);
      this.changed();
      if (isLast || page.next_page_token === undefined) return page.resume_cursor;
      query = { limit: pageRows, page_token: page.next_page_token };
    }
    throw new RangeError('a transcript without an end');
  }

  private async keepUp(cursor: string): Promise<void> {
    this.follower = new SessionFollow(this.transport, this.sessionId, {
      after: cursor,
      idle: this.options.idle ?? 'wait',
    });
    if (this.closing.signal.aborted) return;
    try {
      for await (const frame of this.follower) {
        this.fold.apply(frame);
        this.changed();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.closing.signal.aborted) return;
    this.error = error;
    this.changed();
  }

  private changed(): void {
    this.view = null;
    for (const subscriber of [...this.subscribers]) subscriber();
  }
}
