import { ApiError, type AgentService, type Schema } from '@aos/client';
import { FrameBuffer } from './frame-buffer';
import { TranscriptView } from './transcript-view';

type StoredMessage = Schema<'SessionMessage'>;
type Page = Schema<'SessionMessageListResponse'>;

export interface FeedState {
  /** `loading` until the newest rows are there; `failed` when it cannot go on. */
  phase: 'loading' | 'live' | 'failed';
  /** Whether the stream is cut off, and another connection is tried. */
  isReconnecting: boolean;
  /** Whether rows before the oldest that is there are to be had. */
  hasOlder: boolean;
  isLoadingOlder: boolean;
  error: unknown;
}

const newestRows = 30;
const pageRowsMax = 100;
const pageRowsMin = 5;
/** Characters that a page of older rows is meant to have at most: rows may be of a megabyte each. */
const pageChars = 2_000_000;
const hiddenPagesMax = 50;
const olderPagesMax = 2_000;
const turnIdsMax = 100;
/** A page goes on where it was, however long the service is away. */
const patienceMs = 24 * 3_600_000;
/** Between two tries to read the newest rows of a service that is away. */
const readAgainMs = 5_000;
/** No answer, and what a service or its gateway says that cannot serve for now. */
const passing: readonly number[] = [0, 429, 502, 503, 504];
const withHidden = { include: 'context', include_terminal_partials: true } as const;

/**
 * A session's transcript as it stands and grows: the newest rows first, what follows by its stream, older pages when
 * they are asked for. While the session rests its stream is closed: `wake()` looks for what is new, and the page calls
 * it when the organization's events say that there is something.
 */
export class SessionFeed {
  readonly view: TranscriptView;
  readonly frames: FrameBuffer = new FrameBuffer();
  private readonly closing = new AbortController();
  private readonly listeners = new Set<() => void>();
  private current: FeedState = {
    phase: 'loading',
    isReconnecting: false,
    hasOlder: false,
    isLoadingOlder: false,
    error: null,
  };
  private oldest: number | null = null;
  private olderRows = pageRowsMax;
  private older: Promise<void> | null = null;
  /** Up to here hidden rows (context, partial answers) were read too. */
  private readThrough = 0;
  private hiddenWanted: Promise<void> | null = null;
  private isHiddenOld = false;
  private follower: { wake(): void; close(): void } | null = null;
  /** Ends the pause before the newest rows are read again. */
  private readAgain: (() => void) | null = null;

  /** Takes what brings changes to the screen: `batch(run)` gives a function that has `run` called once, soon. */
  constructor(
    private readonly svc: AgentService,
    private readonly sessionId: string,
    batch: (run: () => void) => () => void,
    private readonly now: () => number = Date.now,
  ) {
    this.view = new TranscriptView(
      batch(() => {
        this.view.flush();
        this.frames.flush();
      }),
    );
  }

  get state(): FeedState {
    return this.current;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Reads and follows until `close()`; never refuses, `state` says what went wrong. */
  async run(): Promise<void> {
    try {
      const cursor = await this.readNewestOnceThere();
      this.change({ phase: 'live', isReconnecting: false });
      await this.followSession(cursor);
    } catch (error) {
      if (!this.closing.signal.aborted) this.change({ phase: 'failed', error });
    }
  }

  close(): void {
    this.closing.abort();
    this.follower?.close();
    this.readAgain?.();
  }

  /** Looks for a new turn now: after an event of the session, and after a call that starts one. */
  wake(): void {
    this.follower?.wake();
    this.readAgain?.();
  }

  /** Reads the page before the oldest row, when there is one; a page that is on its way is waited for. */
  loadOlder(): Promise<void> {
    this.older ??= this.readOlder().finally(() => {
      this.older = null;
    });
    return this.older;
  }

  /** Reads older pages until the row is there. */
  async loadThrough(sequence: number): Promise<void> {
    for (let pages = 0; pages < olderPagesMax; pages += 1) {
      const { hasOlder, error } = this.current;
      if (!hasOlder || error !== null || this.oldest === null || this.oldest <= sequence) return;
      await this.loadOlder();
    }
  }

  private async readOlder(): Promise<void> {
    if (!this.current.hasOlder || this.oldest === null) return;
    this.change({ isLoadingOlder: true });
    try {
      this.takeOlder(await this.rows({ order: 'desc', before_sequence: this.oldest, limit: this.olderRows }));
      this.change({ error: null });
    } catch (error) {
      if (!this.closing.signal.aborted) this.change({ error });
    } finally {
      this.change({ isLoadingOlder: false });
    }
  }

  /** As `readNewest`, however long the service is away. */
  private async readNewestOnceThere(): Promise<string> {
    for (;;) {
      try {
        return await this.readNewest();
      } catch (error) {
        const isPassing = error instanceof ApiError && passing.includes(error.status);
        if (!isPassing || this.closing.signal.aborted) throw error;
      }
      this.change({ isReconnecting: true });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, readAgainMs);
        this.readAgain = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.readAgain = null;
    }
  }

  /** Gives the position behind what was read. */
  private async readNewest(): Promise<string> {
    const { signal } = this.closing;
    // The snapshot for what is live and for its position; rows come by the list, which has the hidden ones too.
    const snapshot = await this.svc.sessions.getTranscript(this.sessionId, { limit: 1 }, { signal });
    const page = await this.rows({ order: 'desc', limit: newestRows });
    this.view.applySnapshot(snapshot);
    this.takeOlder(page);
    this.readThrough = page.items.at(-1)?.sequence ?? 0;
    void this.readInteractions();
    return snapshot.resume_cursor;
  }

  private rows(query: object): Promise<Page> {
    const { signal } = this.closing;
    return this.svc.sessions.listMessages(this.sessionId, { ...query, ...withHidden }, { signal }).page();
  }

  private takeOlder(page: Page): void {
    this.view.addRows(page.items);
    this.oldest = page.items[0]?.sequence ?? this.oldest;
    this.olderRows = rowsAPage(page.items);
    this.change({ hasOlder: page.has_more && page.items.length > 0 });
    void this.readTurns(page.items);
  }

  /** Turns of rows that came by a list: the stream tells of those alone that change. */
  private async readTurns(rows: readonly StoredMessage[]): Promise<void> {
    const unknown = new Set(
      rows.flatMap(({ turn_id: id }) => (id !== undefined && !this.view.turns.has(id) ? id : [])),
    );
    const ids = [...unknown];
    for (let from = 0; from < ids.length; from += turnIdsMax)
      await this.quietly(async (signal) => {
        const query = { ids: ids.slice(from, from + turnIdsMax) };
        this.view.addTurns((await this.svc.sessions.listTurns(this.sessionId, query, { signal }).page()).items);
      });
  }

  /** Answered questions too: the snapshot has the open ones alone. */
  private readInteractions(): Promise<void> {
    return this.quietly(async (signal) => {
      const query = { session_id: this.sessionId, limit: 100 };
      this.view.addInteractions((await this.svc.interactions.list(query, { signal }).page()).items);
    });
  }

  private async followSession(after: string): Promise<void> {
    const follower = this.svc.sessions.follow(this.sessionId, {
      after,
      idle: 'sleep',
      patienceMs,
      connection: (state) => {
        this.change({ isReconnecting: state === 'lost' });
      },
    });
    this.follower = follower;
    if (this.closing.signal.aborted) return;
    for await (const frame of follower) {
      this.frames.add(frame, this.now());
      this.view.apply(frame);
      this.lookForHidden(frame.data);
    }
  }

  /** The stream leaves out context and what a failed turn kept: a gap in the sequence says that there is some. */
  private lookForHidden(data: Record<string, unknown>): void {
    const { event_type: type, sequence, status } = data;
    if (type === 'message.upsert' && typeof sequence === 'number') {
      if (sequence > this.readThrough + 1) this.readHidden();
      else this.readThrough = Math.max(this.readThrough, sequence);
    }
    if (type === 'turn.upsert' && status === 'failed') this.readHidden();
  }

  private readHidden(): void {
    this.isHiddenOld = true;
    this.hiddenWanted ??= this.quietly(async () => {
      for (let pages = 0; this.isHiddenOld && pages < hiddenPagesMax; pages += 1) {
        this.isHiddenOld = false;
        const page = await this.rows({ after_sequence: this.readThrough, limit: pageRowsMax });
        this.view.addRows(page.items);
        this.readThrough = Math.max(this.readThrough, page.items.at(-1)?.sequence ?? 0);
        if (page.has_more) this.isHiddenOld = true;
      }
    }).finally(() => {
      this.hiddenWanted = null;
    });
  }

  /** Reads what the transcript can do without: a refusal is kept for the page to show, and ends nothing. */
  private async quietly(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await read(this.closing.signal);
    } catch (error) {
      if (this.closing.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      this.change({ error });
    }
  }

  private change(part: Partial<FeedState>): void {
    this.current = { ...this.current, ...part };
    for (const listener of [...this.listeners]) listener();
  }
}

/** How many rows to ask for next, by the size of those that came. */
function rowsAPage(rows: readonly StoredMessage[]): number {
  const chars = rows.reduce((sum, row) => sum + charsOf(row.content), 0);
  const fit = Math.floor((rows.length * pageChars) / Math.max(1, chars));
  return Math.max(pageRowsMin, Math.min(pageRowsMax, fit));
}

function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, one) => sum + charsOf(one), 0);
}
