import { Logger } from '@nestjs/common';
import { StoreUnavailable } from '@aos/kernel';
import { webhooksWorld } from '../testing/webhooks.fixture.js';

Logger.overrideLogger(false);

const url = 'https://one.example/events';
const dayMs = 24 * 60 * 60 * 1000;

describe('deliveries of web hooks', () => {
  it('TE122: an endpoint that is away for an hour is asked with its oldest event, then gets each once more', async () => {
    const { clock, endpoints, start, hook, say, inTime, close, taken } = await webhooksWorld();
    endpoints.answer = () => ({ status: 503 });
    await hook(url);
    start();
    await say(20);
    const from = clock.now();
    await inTime('an hour is over', () => clock.now() - from > 3_600_000, 2_500);
    const during = endpoints.got.length;
    const asked = endpoints.got.filter(({ at }) => at - from > 60_000);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    expect(during).toBeLessThan(40);
    endpoints.answer = () => ({ status: 200 });
    await inTime('all arrived', () => new Set(endpoints.got.slice(during).map(({ id }) => id)).size === 20, 2_500);
    expect(endpoints.got.slice(during)).toHaveLength(20);
    expect(taken(url).size).toBe(20);
    await close();
  });

  it('TE122: 1,000 events arrive each once, at a hundred a second and no faster (TE124)', async () => {
    const { clock, endpoints, start, hook, say, inTime, close, taken } = await webhooksWorld();
    await hook(url);
    const runner = start();
    await inTime('it delivers', () => runner.active);
    const from = clock.now();
    await say(1_000);
    await inTime('all arrived', () => taken(url).size === 1_000, 500);
    expect(clock.now() - from).toBeGreaterThan(8_800);
    expect(endpoints.got).toHaveLength(1_000);
    await close();
  });

  it('stops in good order while the lease store is away: its lease ends by itself', async () => {
    const { leases, hook, start, inTime, close } = await webhooksWorld();
    await hook(url);
    const runner = start();
    await inTime('it delivers', () => runner.active);
    jest.spyOn(leases, 'release').mockRejectedValueOnce(new StoreUnavailable('the lease store does not answer'));
    await expect(runner.onApplicationShutdown()).resolves.toBeUndefined();
    await close();
  });

  it('TE124: one that hangs delays no other', async () => {
    const { endpoints, start, hook, say, inTime, close, taken } = await webhooksWorld();
    const hanging = 'https://hangs.example/events';
    endpoints.answer = (got) => (got.url === hanging ? 'hangs' : { status: 200 });
    await hook(hanging);
    await hook(url);
    start();
    await say(100);
    await inTime('the other one has all', () => taken(url).size === 100);
    expect(endpoints.got.filter((got) => got.url === hanging)).toHaveLength(8);
    await close();
  });

  it('TE123: 410 disables at once; what comes is kept for later', async () => {
    const { endpoints, start, hook, say, inTime, close, state } = await webhooksWorld();
    endpoints.answer = () => ({ status: 410 });
    const id = await hook(url);
    start();
    await say(3);
    await inTime('disabled', async () => (await state(id))?.status === 'disabled');
    expect((await state(id))?.disabled?.reason).toBe('gone');
    await close();
  });

  it('TE123: one whose position left the feed fell behind, until it goes on from the end', async () => {
    const { clock, endpoints, start, hook, enable, feedBegin, say, inTime, close, state } = await webhooksWorld();
    endpoints.answer = () => ({ status: 410 });
    const id = await hook(url);
    start();
    await say(3);
    await inTime('disabled', async () => (await state(id))?.status === 'disabled');
    await say(3);
    const began = await feedBegin();
    clock.advance(31 * dayMs);
    await inTime('the feed to let them go', async () => (await feedBegin()) > began, 60_000);
    endpoints.answer = () => ({ status: 200 });
    await enable(id);
    await inTime('disabled again', async () => (await state(id))?.status === 'disabled', 1_000);
    expect((await state(id))?.disabled?.reason).toBe('fell_behind');
    await close();
  });

  it('TE123: a time without an event keeps no other one waiting, whatever else the hook has to send', async () => {
    const { hook, redeliver, say, close, inTime } = await webhooksWorld();
    const id = await hook(url);
    await say(3);
    expect(await redeliver(id, { since: '2000-01-01T00:00:00.000Z', until: '2000-01-02T00:00:00.000Z' })).toBe(0);
    await inTime('the events are in the feed', async () => (await redeliver(id)) === 3);
    await expect(redeliver(id)).rejects.toMatchObject({ code: 'conflict', details: { reason: 'redelivery_running' } });
    await close();
  });

  it('TE122: what waits goes to another address at once, whatever the one before asked for', async () => {
    const { clock, endpoints, start, hook, move, say, inTime, close, taken } = await webhooksWorld();
    const elsewhere = 'https://two.example/events';
    endpoints.answer = (got) =>
      got.url === url ? { status: 503, headers: { 'retry-after': '10000' } } : { status: 200 };
    const id = await hook(url);
    start();
    await say(5);
    await inTime('down for a while', () => endpoints.got.length > 1, 60_000);
    const from = clock.now();
    await move(id, url, elsewhere);
    await inTime('all arrived there', () => taken(elsewhere).size === 5);
    expect(clock.now() - from).toBeLessThan(30_000);
    await close();
  });

  it('TE122: an answer of the address before that comes late neither disables it nor holds it up', async () => {
    const { endpoints, start, hook, move, say, inTime, close, taken, state } = await webhooksWorld();
    const elsewhere = 'https://two.example/events';
    endpoints.answer = (got) => ({ status: got.url === url ? 410 : 200 });
    let answerAll = () => {};
    const late = new Promise<void>((resolve) => (answerAll = resolve));
    const open = endpoints.open.bind(endpoints);
    jest.spyOn(endpoints, 'open').mockImplementation(async (request) => {
      const answer = await open(request);
      if (request.url === url) await late;
      return answer;
    });
    const id = await hook(url);
    start();
    await say(3);
    await inTime('they are under way', () => taken(url).size === 3);
    await move(id, url, elsewhere);
    const sayMore = async (): Promise<boolean> => {
      await say(1);
      return taken(elsewhere).size > 0;
    };
    await inTime('it has moved', sayMore, 2_000, 10_000);
    const before = taken(url);
    answerAll();
    await inTime('those too arrived there', () => [...before].every((each) => taken(elsewhere).has(each)), 200, 10_000);
    expect((await state(id))?.status).toBe('active');
    await close();
  });

  it.each([['latest' as const], [undefined]])(
    'TE123: what is asked for again right after it was enabled (%s) is sent, whichever process delivers then',
    async (from) => {
      const { endpoints, start, hook, enable, redeliver, say, inTime, close, taken, state } = await webhooksWorld();
      const id = await hook(url);
      const first = start();
      await say(5);
      await inTime('all arrived', () => taken(url).size === 5);
      endpoints.answer = () => ({ status: 410 });
      await say(1);
      await inTime('disabled', async () => (await state(id))?.status === 'disabled');
      await first.onApplicationShutdown();
      endpoints.answer = () => ({ status: 200 });
      const before = endpoints.got.length;
      await enable(id, from);
      expect(await redeliver(id)).toBe(6);
      start();
      const again = () => new Set(endpoints.got.slice(before).map((got) => got.id));
      await inTime('all arrived again', () => again().size === 6);
      await close();
    },
  );

  it('TE122: a process that takes over goes on: every event arrives, and one process delivers in the end', async () => {
    const { endpoints, leases, start, hook, say, inTime, close, taken } = await webhooksWorld();
    await hook(url);
    const first = start();
    await say(30);
    await inTime('some arrived', () => taken(url).size >= 10, 20);
    const [holder] = await leases.holders(['webhooks']);
    await leases.release('webhooks', holder ?? ''); // as if it had been silent for too long
    const second = start();
    await say(30);
    await inTime('all arrived', () => taken(url).size === 60);
    await inTime('one delivers', () => [first, second].filter(({ active }) => active).length === 1);
    expect(endpoints.got.length).toBeGreaterThanOrEqual(60);
    await close();
  });
});
