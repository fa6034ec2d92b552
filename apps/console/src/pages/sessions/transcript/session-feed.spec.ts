import { AgentService, type Fetch } from '@aos/client';
import { SessionFeed } from './session-feed';

type Answer = (url: URL) => unknown;

const at = '2026-01-01T00:00:00.000Z';
const message = (sequence: number, more: object = {}) => ({
  id: `msg_${sequence}`,
  session_id: 'ses_1',
  agent_id: 'agent_1',
  role: 'user',
  entry_type: 'message',
  content: [{ type: 'text', text: `row ${sequence}` }],
  sequence,
  created_at: at,
  ...more,
});
const final = (sequence: number) => ({
  event_type: 'message.upsert',
  ...message(sequence),
  status: 'final',
  turn_id: null,
  turn_index: null,
});
const page = (...rows: object[]) => ({ items: rows, has_more: false });
const snapshot = { messages: [], turns: [], interactions: [], has_more: false, resume_cursor: 'c0' };

/** One event stream that the test writes to, connection after connection. */
class Stream {
  readonly cursors: (string | null)[] = [];
  private open: ReadableStreamDefaultController<Uint8Array> | null = null;
  private waiting: (() => void)[] = [];

  answer(url: URL, signal: AbortSignal | null | undefined): Response {
    this.cursors.push(url.searchParams.get('cursor'));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.open = controller;
        signal?.addEventListener('abort', () => {
          controller.error(signal.reason);
        });
      },
    });
    for (const ready of this.waiting.splice(0)) ready();
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  say(id: string | null, data: object): void {
    this.open?.enqueue(
      new TextEncoder().encode(`${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    );
  }

  end(): void {
    this.say(null, { event_type: 'stream.end', reason: 'idle' });
    this.open?.close();
  }

  cut(): void {
    this.open?.error(new Error('cut'));
  }

  async connections(count: number): Promise<void> {
    while (this.cursors.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

function feedOf(answers: Record<string, Answer>) {
  const session = new Stream();
  const asked: string[] = [];
  const fetch: Fetch = (address, { signal }) => {
    const url = new URL(address);
    if (url.pathname.endsWith('/transcript/stream')) return Promise.resolve(session.answer(url, signal));
    asked.push(`${url.pathname}${url.search}`);
    const answer = answers[url.pathname.replace('/v1/sessions/ses_1', '')];
    return Promise.resolve(Response.json(answer?.(url) ?? page()));
  };
  const svc = new AgentService({ baseUrl: 'http://service', fetch, retries: 0 });
  const feed = new SessionFeed(svc, 'ses_1', (run) => run);
  return { feed, session, asked };
}

/** Waits until the feed's state or list gives something. */
async function until(feed: SessionFeed, holds: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!holds()) return;
      stops.forEach((stop) => {
        stop();
      });
      resolve();
    };
    const stops = [feed.subscribe(look), feed.view.subscribe(look), feed.frames.subscribe(look)];
    look();
  });
}

const keys = (feed: SessionFeed) => feed.view.items.map(({ key }) => key).join(' ');

describe('the feed of a session', () => {
  it('waits for a service that is away when it is opened, and reads when it is woken', async () => {
    let isAway = true;
    const { feed, session } = feedOf({
      '/transcript': () => {
        if (isAway) throw new TypeError('fetch failed');
        return snapshot;
      },
      '/messages': () => page(message(1)),
    });
    void feed.run();
    await until(feed, () => feed.state.isReconnecting);
    expect(feed.state).toMatchObject({ phase: 'loading', error: null });
    isAway = false;
    feed.wake();
    await until(feed, () => feed.state.phase === 'live');
    expect([keys(feed), feed.state.isReconnecting]).toEqual(['msg_1', false]);
    await session.connections(1);
    feed.close();
  });

  it('asks a service that is away no more once it is closed', async () => {
    let asked = 0;
    const { feed } = feedOf({
      '/transcript': () => {
        asked += 1;
        throw new TypeError('fetch failed');
      },
    });
    const ended = feed.run();
    await until(feed, () => feed.state.isReconnecting);
    feed.close();
    await ended;
    expect([asked, feed.state.phase]).toEqual([1, 'loading']);
  });

  it('reads the newest rows, follows behind them, and reads older rows when it is asked to', async () => {
    const { feed, session, asked } = feedOf({
      '/transcript': () => snapshot,
      '/messages': (url) =>
        url.searchParams.has('before_sequence')
          ? page(message(1), message(2))
          : { ...page(message(3), message(4)), has_more: true },
    });
    void feed.run();
    await until(feed, () => feed.state.phase === 'live');
    expect(keys(feed)).toBe('msg_3 msg_4');
    expect(feed.state.hasOlder).toBe(true);
    await session.connections(1);
    session.say('c1', final(5));
    await until(feed, () => keys(feed) === 'msg_3 msg_4 msg_5');
    await Promise.all([feed.loadOlder(), feed.loadOlder()]);
    expect(keys(feed)).toBe('msg_1 msg_2 msg_3 msg_4 msg_5');
    expect(feed.state.hasOlder).toBe(false);
    const older = asked.filter((url) => url.includes('before_sequence'));
    expect(older).toEqual([expect.stringContaining('order=desc&before_sequence=3&limit=100&include=context')]);
    expect(session.cursors).toEqual(['c0']);
    feed.close();
  });

  it('reads pages back to a row, also while another page is on its way', async () => {
    const { feed } = feedOf({
      '/transcript': () => snapshot,
      '/messages': (url) => {
        const before = Number(url.searchParams.get('before_sequence') ?? 10);
        return { ...page(message(before - 1)), has_more: before > 2 };
      },
    });
    void feed.run();
    await until(feed, () => feed.state.phase === 'live');
    await Promise.all([feed.loadOlder(), feed.loadThrough(4)]);
    expect(keys(feed)).toBe('msg_4 msg_5 msg_6 msg_7 msg_8 msg_9');
    feed.close();
  });

  it('reads rows that the stream leaves out, where the sequence has a gap and where a turn failed', async () => {
    let hidden = [message(2, { content: [{ type: 'reminder', name: 'app-page', tier: 'contextual', content: 'x' }] })];
    const { feed, session, asked } = feedOf({
      '/transcript': () => snapshot,
      '/messages': (url) => (url.searchParams.has('after_sequence') ? page(...hidden, message(3)) : page(message(1))),
    });
    void feed.run();
    await session.connections(1);
    session.say('c1', final(3));
    await until(feed, () => keys(feed) === 'msg_1 msg_2 msg_3');
    hidden = [message(4, { role: 'assistant', turn_id: 'turn_1', metadata: { partial: true } })];
    session.say('c2', { event_type: 'turn.upsert', id: 'turn_1', status: 'failed', updated_at: at });
    await until(feed, () => keys(feed) === 'msg_1 msg_2 msg_3 turn:msg_4 msg_4 end:turn_1');
    const reads = asked.filter((url) => url.includes('after_sequence'));
    expect(reads.map((url) => new URLSearchParams(url.split('?')[1]).get('after_sequence'))).toEqual(['1', '3']);
    feed.close();
  });

  it('sleeps while the session rests, and follows again when it is woken', async () => {
    const { feed, session } = feedOf({ '/transcript': () => snapshot });
    void feed.run();
    await session.connections(1);
    session.end();
    feed.wake();
    await session.connections(2);
    session.say('c1', final(1));
    await until(feed, () => keys(feed) === 'msg_1');
    feed.close();
  });

  it('says while a stream is lost, and goes on behind the last frame', async () => {
    const { feed, session } = feedOf({ '/transcript': () => snapshot });
    void feed.run();
    await session.connections(1);
    session.say('c1', final(1));
    await until(feed, () => keys(feed) === 'msg_1');
    const states: boolean[] = [];
    feed.subscribe(() => states.push(feed.state.isReconnecting));
    session.cut();
    await session.connections(2);
    session.say('c2', final(2));
    await until(feed, () => keys(feed) === 'msg_1 msg_2');
    expect(states).toContain(true);
    expect(feed.state.isReconnecting).toBe(false);
    expect(session.cursors).toEqual(['c0', 'c1']);
    feed.close();
  });

  it('fails with what the service says when the session is not to be read', async () => {
    const denied = new AgentService({
      baseUrl: 'http://service',
      fetch: () => Promise.resolve(Response.json({ error: { code: 'not_found', message: 'no' } }, { status: 404 })),
    });
    const feed = new SessionFeed(denied, 'ses_2', (run) => run);
    await feed.run();
    expect(feed.state).toMatchObject({ phase: 'failed', error: { code: 'not_found' } });
  });
});
