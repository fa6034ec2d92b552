import { AgentService } from './agent-service.js';
import type { Fetch } from './transport.js';

const frame = (id: string | null, data: object) =>
  `${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
const row = (id: string, position: string) => frame(position, { event_type: 'message.upsert', id });
const patch = (position: string, status: string) =>
  frame(position, { event_type: 'message.block.patch', message_id: 'msg_1', content_index: 0, status });
const ready = (position: string) => frame(null, { event_type: 'stream.ready', resume_cursor: position });
const end = (reason: string) => frame(null, { event_type: 'stream.end', reason });
const cut = 'CUT';

/** A client whose streams say these texts, one connection after another; `CUT` breaks it off, else it ends. */
function streams(...connections: (string[] | Response)[]) {
  const asked: (string | null)[] = [];
  const fetch: Fetch = async (url) => {
    asked.push(new URL(url).searchParams.get('cursor'));
    const said = connections[asked.length - 1];
    if (said instanceof Response) return said;
    if (said === undefined) throw new TypeError('fetch failed');
    return new Response(bodyOf(said), { headers: { 'content-type': 'text/event-stream' } });
  };
  return { svc: new AgentService({ baseUrl: 'http://service', fetch }), asked };
}

/** In two pieces, the first of which ends inside a frame. */
function bodyOf(said: readonly string[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(said.filter((text) => text !== cut).join(''));
  const pieces = [bytes.subarray(0, 7), bytes.subarray(7)];
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else if (said.includes(cut)) controller.error(new Error('cut'));
      else controller.close();
    },
  });
}

async function framesOf(stream: AsyncIterable<{ id?: string; data: object }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { id, data } of stream) {
    const { event_type: type, id: record, status } = data as Record<string, string>;
    found.push([id, type, record ?? status].filter((part) => part !== undefined).join(' '));
  }
  return found;
}

afterEach(() => jest.restoreAllMocks());

describe('a follower', () => {
  it.each([
    ['is cut', [row('msg_1', 'c1'), cut]],
    ['ends where the service goes away', [row('msg_1', 'c1'), end('rotate')]],
  ])('counts its patience from when the service went, where a connection of long %s', async (_how, first) => {
    const away = new Response('', { status: 502 });
    const { svc, asked } = streams(first, away, [row('msg_2', 'c2'), end('idle')]);
    const opened = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(opened);
    const given: string[] = [];
    for await (const { data } of svc.sessions.follow('ses_1', { after: 'c0', patienceMs: 1000 })) {
      given.push(data.event_type);
      clock.mockReturnValue(opened + 900_000); // it stands for a quarter of an hour before it is cut
    }
    expect(given).toEqual(['message.upsert', 'message.upsert', 'stream.end']);
    expect(asked).toEqual(['c0', 'c1', 'c1']);
  });

  it('gives ready and the last end once, and nothing of rotations', async () => {
    const { svc, asked } = streams(
      [row('msg_1', 'c1'), ready('c1'), end('rotate')],
      [ready('c1'), row('msg_2', 'c2'), end('idle')],
    );
    await expect(framesOf(svc.sessions.follow('ses_1', { after: 'c0' }))).resolves.toEqual([
      'c1 message.upsert msg_1',
      'stream.ready',
      'c2 message.upsert msg_2',
      'stream.end',
    ]);
    expect(asked).toEqual(['c0', 'c1']);
  });

  it('knows the frames of a half-read revision when they come again', async () => {
    const { svc, asked } = streams(
      [row('msg_1', 'c1'), patch('c1', 'ok'), cut],
      [patch('c1', 'ok'), patch('c1', 'error'), row('msg_2', 'c2'), end('idle')],
    );
    await expect(framesOf(svc.sessions.follow('ses_1', { after: 'c0' }))).resolves.toEqual([
      'c1 message.upsert msg_1',
      'c1 message.block.patch ok',
      'c1 message.block.patch error',
      'c2 message.upsert msg_2',
      'stream.end',
    ]);
    expect(asked).toEqual(['c0', 'c1']);
  });

  it('begins anew when the records before the newest rows did not come through', async () => {
    const open = frame('c4', { event_type: 'turn.upsert', id: 'turn_1' });
    const asked_ = frame('c4', { event_type: 'interaction.upsert', id: 'iact_1' });
    const { svc, asked } = streams([open, cut], [open, asked_, row('msg_5', 'c5'), cut], [ready('c5'), end('idle')]);
    await expect(framesOf(svc.sessions.follow('ses_1'))).resolves.toEqual([
      'c4 turn.upsert turn_1',
      'c4 interaction.upsert iact_1',
      'c5 message.upsert msg_5',
      'stream.ready',
      'stream.end',
    ]);
    expect(asked).toEqual([null, null, 'c5']);
  });

  it('has its position outside too, and goes on behind it', async () => {
    const { svc } = streams([row('msg_1', 'c1'), row('msg_2', 'c2'), end('idle')]);
    const follower = svc.sessions.follow('ses_1', { after: 'c0' });
    expect(follower.cursor).toBe('c0');
    for await (const { id } of follower) if (id === 'c1') break;
    expect(follower.cursor).toBe('c1');
  });

  it('ends with what will not change, and with the last error when its patience is over', async () => {
    const denied = Response.json({ error: { code: 'unauthorized', message: 'no' } }, { status: 401 });
    const { svc } = streams([row('msg_1', 'c1'), cut], denied);
    await expect(framesOf(svc.sessions.follow('ses_1'))).rejects.toMatchObject({ code: 'unauthorized' });
    const { svc: away } = streams([row('msg_1', 'c1'), cut]);
    await expect(framesOf(away.sessions.follow('ses_1', { patienceMs: 1 }))).rejects.toMatchObject({
      code: 'connection_failed',
    });
  });

  it('says when a connection is lost and when one is there again, and nothing of rotations', async () => {
    const states: string[] = [];
    const { svc } = streams(
      [row('msg_1', 'c1'), end('rotate')],
      [row('msg_2', 'c2'), cut],
      [row('msg_3', 'c3'), end('idle')],
    );
    await framesOf(svc.sessions.follow('ses_1', { after: 'c0', connection: (state) => states.push(state) }));
    expect(states).toEqual(['open', 'open', 'lost', 'open']);
  });

  it('ends when it is closed, and breaks off with the reason of its signal', async () => {
    const { svc } = streams([row('msg_1', 'c1'), row('msg_2', 'c2'), end('idle')]);
    const follower = svc.sessions.follow('ses_1');
    const seen: unknown[] = [];
    for await (const { id } of follower) {
      seen.push(id);
      follower.close();
    }
    expect(seen[0]).toBe('c1');
    const reason = new Error('no longer wanted');
    await expect(framesOf(svc.sessions.follow('ses_1', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });

  it('sleeps at the end of all turns until it is woken', async () => {
    const { svc, asked } = streams([row('msg_1', 'c1'), end('idle')], [row('msg_2', 'c2'), end('idle')]);
    const follower = svc.sessions.follow('ses_1', { after: 'c0', idle: 'sleep' });
    const frames = follower[Symbol.asyncIterator]();
    expect(await frames.next()).toMatchObject({ value: { id: 'c1' } });
    const next = frames.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(['c0']);
    follower.wake();
    expect(await next).toMatchObject({ value: { id: 'c2' } });
    follower.close();
  });
});
