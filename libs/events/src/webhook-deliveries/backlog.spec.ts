import { downMaxMs, givenUpMax, probeMaxMs, triesMax, waitingMax } from '../webhook/webhook.limits.js';
import { Backlog, noDeliveries, type WaitingEvent } from './backlog.js';

const refused = { status: 500, error: null, retryAfterMs: null, random: 0.5 };
const position = (n: number) => String(n).padStart(8, '0');

function backlog(events: number) {
  const made = new Backlog(noDeliveries(1, ''));
  for (let n = 0; n < events; n += 1) made.add(`evt_${n}`, position(n), 0);
  return made;
}

function begun(of: Backlog, now: number): WaitingEvent {
  const event = of.due(now);
  if (!event) throw new Error(`nothing is due at ${now}`);
  of.begin(event);
  return event;
}

/** Goes to the next time that something is due, and tries it. */
function tryNext(of: Backlog, now: number, end: (event: WaitingEvent, at: number) => void): number {
  const at = Math.max(now, of.nextAt ?? now);
  end(begun(of, at), at);
  return at;
}

describe('deliveries of one hook (rule TE122)', () => {
  it('go in the order of the feed, those under way beside each other', () => {
    const all = backlog(3);
    expect([begun(all, 0).id, begun(all, 0).id, all.inFlight]).toEqual(['evt_0', 'evt_1', 2]);
  });

  it('while nothing succeeds only the oldest is tried, after 5 s doubling to 5 min, and no try counts', () => {
    const all = backlog(20);
    const tried: string[] = [];
    const waits: number[] = [];
    let now = 0;
    for (let n = 0; n < 12; n += 1) {
      const at = tryNext(all, now, (event, when) => {
        tried.push(event.id);
        all.fail(event, when, refused);
      });
      waits.push(at - now);
      now = at;
    }
    expect(new Set(tried)).toEqual(new Set(['evt_0']));
    expect(waits.map((ms) => ms / 1000)).toEqual([0, 5, 10, 20, 40, 80, 160, 300, 300, 300, 300, 300]);
    expect(all.kept.waiting.map(({ tries }) => tries)).toEqual([1, ...Array.from({ length: 19 }, () => 0)]);
  });

  it('the first success makes all that wait due', () => {
    const all = backlog(20);
    all.fail(begun(all, 0), 0, refused);
    all.succeed(begun(all, 5_000), 5_000);
    expect([all.down, all.size, all.nextAt]).toEqual([null, 19, 5_000]);
    expect(all.kept.waiting.every(({ next_at: at }) => at === 5_000)).toBe(true);
  });

  it('what fails beside the one that made it down changes no wait', () => {
    const all = backlog(8);
    const events = Array.from({ length: 8 }, () => begun(all, 0));
    for (const event of events) all.fail(event, 10, refused);
    expect(all.down).toEqual({ since: 10, failures: 1, next_at: 5_010 });
  });

  it('an event that fails while others succeed has 20 tries in about 27 hours, then is given up', () => {
    const all = backlog(2);
    const [bad, good] = [begun(all, 0), begun(all, 0)];
    all.fail(bad, 0, refused);
    all.succeed(good, 1);
    let now = 1;
    for (let n = 1; n < triesMax; n += 1)
      now = tryNext(all, now, (event, at) => {
        expect(event.id).toBe('evt_0');
        all.fail(event, at, refused);
      });
    expect([all.size, all.down]).toEqual([0, null]);
    expect(all.kept.given_up).toEqual([
      { id: 'evt_0', position: position(0), tries: 20, last_status: 500, last_error: null },
    ]);
    expect(now / 3_600_000).toBeGreaterThan(24);
    expect(now / 3_600_000).toBeLessThan(30);
  });

  it('an event whose fault is its own holds up no other', () => {
    const all = backlog(2);
    const [bad, good] = [begun(all, 0), begun(all, 0)];
    all.fail(bad, 0, refused);
    all.succeed(good, 1);
    const now = tryNext(all, 1, (event, at) => all.fail(event, at, refused));
    all.add('evt_9', position(9), now);
    expect(begun(all, now).id).toBe('evt_9');
  });

  it('keeps to Retry-After, up to 3 h', () => {
    const all = backlog(1);
    all.fail(begun(all, 0), 0, { ...refused, retryAfterMs: 90_000 });
    expect(all.nextAt).toBe(90_000);
    all.fail(begun(all, 90_000), 90_000, { ...refused, retryAfterMs: 86_400_000 });
    expect(all.nextAt).toBe(90_000 + 3 * 3_600_000);
  });

  it('keeps to Retry-After though the hook comes back, and while it is down to that of any event', () => {
    const all = backlog(4);
    const [asking, failing, asked, good] = Array.from({ length: 4 }, () => begun(all, 0)) as [
      WaitingEvent,
      WaitingEvent,
      WaitingEvent,
      WaitingEvent,
    ];
    all.fail(asking, 0, { ...refused, status: 429, retryAfterMs: 90_000 });
    all.succeed(good, 1);
    expect([all.down, all.nextAt]).toEqual([null, 90_000]);
    all.fail(failing, 2, refused);
    all.fail(asked, 3, { ...refused, status: 503, retryAfterMs: 60_000 });
    expect([all.down?.next_at, all.nextAt]).toEqual([60_003, 60_003]);
    const again = new Backlog({ ...noDeliveries(1, position(9)), ...all.kept });
    const probe = begun(again, 60_003);
    again.succeed(probe, 60_003);
    expect([again.down, again.kept.waiting.map(({ id, next_at: at }) => [id, at])]).toEqual([
      null,
      [asking, failing, asked]
        .filter(({ id }) => id !== probe.id)
        .map(({ id }) => [id, id === asking.id ? 90_000 : 60_003]),
    ]);
  });

  it('is given up for good after 72 hours down', () => {
    const all = backlog(1);
    let now = 0;
    for (let n = 0; now < downMaxMs + probeMaxMs; n += 1) {
      now = tryNext(all, now, (event, at) => all.fail(event, at, refused));
      expect(all.isGivenUp(now)).toBe(now >= downMaxMs);
    }
  });

  it('are bounded, and go on from what was kept', () => {
    const all = backlog(waitingMax + 5);
    expect(all.size).toBe(waitingMax);
    all.fail(begun(all, 0), 0, refused);
    const kept = { ...noDeliveries(1, position(7)), ...all.kept };
    const again = new Backlog(JSON.parse(JSON.stringify(kept)) as typeof kept);
    expect([again.kept, again.nextAt]).toEqual([all.kept, all.nextAt]);
    expect(JSON.stringify(kept).length + givenUpMax * 200).toBeLessThan(150 * 1024);
  });

  it('one that did not take position waits, and loses nothing', () => {
    const all = backlog(1);
    all.postpone(begun(all, 0), 1_000);
    expect([all.size, all.due(999), all.due(1_000)?.id]).toEqual([1, null, 'evt_0']);
  });
});
