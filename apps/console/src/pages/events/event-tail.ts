import type { AgentService, SourceEvent } from '@aos/client';
import type { EventFilter } from './event-filter';

const keptMax = 2_000;
const pageSize = 50;
const showMs = 100;
const farFuture = 3_600_000;

export interface TailState {
  /** Newest first. */
  rows: readonly SourceEvent[];
  /** Came while it was paused. */
  held: number;
  /** Behind the last event that came; a follower that begins there misses and repeats nothing. */
  position: string | null;
  isPaused: boolean;
  isLoading: boolean;
  isLoadingOlder: boolean;
  hasOlder: boolean;
  /** Rows left the buffer, because more came than it keeps. */
  hasDropped: boolean;
  error: Error | null;
}

const initial: TailState = {
  rows: [],
  held: 0,
  position: null,
  isPaused: false,
  isLoading: true,
  isLoadingOlder: false,
  hasOlder: false,
  hasDropped: false,
  error: null,
};

/**
 * The newest events of the feed and those that come after them: at most `keptMax` rows, given on together a few times a
 * second. What was known before the stream began is not repeated by it.
 */
export class EventTail {
  private state: TailState = initial;
  private readonly known = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private readonly stopping = new AbortController();
  private arrived: SourceEvent[] = [];
  private older: string | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly svc: AgentService,
    private readonly filter: EventFilter,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): TailState => this.state;

  /** Finds the end of the feed, shows what lies before it, and follows from there. It ends with `close`. */
  async open(): Promise<void> {
    const { signal } = this.stopping;
    try {
      const after = await this.end(signal);
      this.change({ position: after });
      const following = this.follow(after, signal);
      await Promise.all([this.newest(signal), following]);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Error)) throw error;
      this.change({ error, isLoading: false });
    }
  }

  close(): void {
    this.stopping.abort();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** Holds back what comes, or shows what was held back. */
  pause(isPaused: boolean): void {
    this.change({ isPaused });
    if (!isPaused) this.show();
  }

  async loadOlder(): Promise<void> {
    if (this.older === null || this.state.isLoadingOlder) return;
    this.change({ isLoadingOlder: true });
    try {
      await this.page(this.older, this.stopping.signal);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      if (!(error instanceof Error)) throw error;
      this.change({ error });
    } finally {
      this.change({ isLoadingOlder: false });
    }
  }

  private async end(signal: AbortSignal): Promise<string> {
    const since = new Date(Date.now() + farFuture).toISOString(); // nothing is that new: the page is empty
    const { next_cursor: end } = await this.svc.events.list({ ...this.filter, since, limit: 1 }, { signal }).page();
    return end ?? '';
  }

  private async newest(signal: AbortSignal): Promise<void> {
    await this.page(undefined, signal);
    this.change({ isLoading: false });
  }

  private async page(cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const query = { ...this.filter, order: 'desc', limit: pageSize, ...(cursor && { cursor }) } as const;
    const { items, has_more: hasMore, next_cursor: next } = await this.svc.events.list(query, { signal }).page();
    this.older = hasMore ? (next ?? null) : null;
    const fresh = items.filter((event) => this.isFresh(event)).reverse();
    const rows = [...this.state.rows, ...fresh];
    this.change({ rows: rows.slice(0, keptMax), hasOlder: this.older !== null && rows.length < keptMax });
  }

  private async follow(after: string, signal: AbortSignal): Promise<void> {
    for await (const { id, data } of this.svc.events.follow({ ...this.filter, after, signal })) {
      if (id !== undefined) this.state = { ...this.state, position: id };
      if (this.isFresh(data)) this.arrived.push(data);
      if (this.arrived.length > keptMax) this.arrived = this.arrived.slice(-keptMax);
      this.timer ??= setTimeout(() => {
        this.timer = null;
        this.show();
      }, showMs);
    }
  }

  private isFresh({ meta: { id } }: SourceEvent): boolean {
    if (this.known.has(id)) return false;
    this.known.add(id);
    const [oldest] = this.known;
    if (this.known.size > 2 * keptMax && oldest !== undefined) this.known.delete(oldest);
    return true;
  }

  private show(): void {
    if (this.state.isPaused) {
      this.change({ held: this.arrived.length });
      return;
    }
    const rows = [...this.arrived.reverse(), ...this.state.rows];
    this.arrived = [];
    const hasDropped = this.state.hasDropped || rows.length > keptMax;
    this.change({ rows: rows.slice(0, keptMax), held: 0, hasDropped, hasOlder: this.state.hasOlder && !hasDropped });
  }

  private change(part: Partial<TailState>): void {
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }
}
