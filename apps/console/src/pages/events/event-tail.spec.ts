import type { AgentService, SourceEvent } from '@aos/client';
import { EventTail } from './event-tail';

type ListQuery = { order?: string; cursor?: string; since?: string };

function event(index: number): SourceEvent {
  const id = `evt_${index}`;
  const at = '2026-01-01T00:00:00Z';
  const meta = { event_type: 't', id, source_kind: 'session', source_id: 's', occurred_at: at, received_at: at };
  return { event_type: 't', source_kind: 'session', source_id: 's', event: {}, meta } as SourceEvent;
}

/** A feed with events 1 to `count`, pages of two, and a stream that the test feeds. */
class Feed {
  readonly queries: ListQuery[] = [];
  after: string | undefined;
  private give: (frame: { id: string; data: SourceEvent }) => void = () => undefined;
  private readonly waiting: { id: string; data: SourceEvent }[] = [];

  constructor(private readonly count: number) {}

  readonly service = {
    events: {
      list: (query: ListQuery) => ({ page: () => Promise.resolve(this.page(query)) }),
      follow: ({ after, signal }: { after: string; signal: AbortSignal }) => {
        this.after = after;
        return this.stream(signal);
      },
    },
  } as unknown as AgentService;

  send(index: number): void {
    this.give({ id: `p${index}`, data: event(index) });
  }

  private page(query: ListQuery) {
    this.queries.push(query);
    if (query.since !== undefined) return { items: [], has_more: false, next_cursor: 'end' };
    const last = query.cursor === undefined ? this.count : Number(query.cursor);
    const items = [last - 1, last].filter((index) => index > 0).map(event);
    return { items, has_more: last > 2, next_cursor: String(last - 2) };
  }

  private async *stream(signal: AbortSignal) {
    let wake: () => void = () => undefined;
    this.give = (frame) => {
      this.waiting.push(frame);
      wake();
    };
    signal.addEventListener('abort', () => wake());
    while (!signal.aborted) {
      const frame = this.waiting.shift();
      if (frame !== undefined) yield frame;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
}

/** Fulfilled once what the tail shows is as wanted. */
function shows(tail: EventTail, isThere: (rows: string[]) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (isThere(rowsOf(tail))) resolve();
    };
    tail.subscribe(look);
    look();
  });
}

const rowsOf = (tail: EventTail): string[] => tail.snapshot().rows.map(({ meta }) => meta.id);

describe('the tail of the feed', () => {
  let tail: EventTail;
  afterEach(() => tail.close());

  it('begins at the end of the feed, shows what lies before it, and repeats nothing', async () => {
    const feed = new Feed(4);
    tail = new EventTail(feed.service, {});
    void tail.open();
    await shows(tail, (rows) => rows.length === 2);
    expect(feed.after).toBe('end');
    feed.send(4);
    feed.send(5);
    await shows(tail, (rows) => rows.includes('evt_5'));
    expect(rowsOf(tail)).toEqual(['evt_5', 'evt_4', 'evt_3']);
    expect(tail.snapshot().position).toBe('p5');
  });

  it('loads older ones behind those that are shown', async () => {
    tail = new EventTail(new Feed(4).service, {});
    void tail.open();
    await shows(tail, (rows) => rows.length === 2);
    expect(tail.snapshot().hasOlder).toBe(true);
    await tail.loadOlder();
    expect(rowsOf(tail)).toEqual(['evt_4', 'evt_3', 'evt_2', 'evt_1']);
    expect(tail.snapshot().hasOlder).toBe(false);
  });

  it('holds back what comes while it is paused', async () => {
    const feed = new Feed(1);
    tail = new EventTail(feed.service, {});
    void tail.open();
    await shows(tail, (rows) => rows.length === 1);
    tail.pause(true);
    feed.send(2);
    await shows(tail, () => tail.snapshot().held === 1);
    expect(rowsOf(tail)).toEqual(['evt_1']);
    tail.pause(false);
    expect(rowsOf(tail)).toEqual(['evt_2', 'evt_1']);
    expect(tail.snapshot().held).toBe(0);
  });

  it('keeps the newest two thousand', async () => {
    const feed = new Feed(1);
    tail = new EventTail(feed.service, {});
    void tail.open();
    await shows(tail, (rows) => rows.length === 1);
    for (let index = 2; index <= 2_500; index += 1) feed.send(index);
    await shows(tail, (rows) => rows[0] === 'evt_2500');
    expect(rowsOf(tail)).toHaveLength(2_000);
    expect(tail.snapshot().hasDropped).toBe(true);
  });
});
