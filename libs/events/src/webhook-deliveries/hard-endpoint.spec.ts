import { Logger } from '@nestjs/common';
import { webhooksWorld, type Answer } from '../testing/webhooks.fixture.js';

/** The gate sends a share; `npm run soak -- webhooks` sends 10,000. */
const count = Number(process.env.WEBHOOK_EVENTS ?? 500);
const seed = Number(process.env.SEED ?? 1);
Logger.overrideLogger(false);
jest.setTimeout(30_000 + 60 * count);

const url = 'https://hard.example/events';
const minuteMs = 60_000;

/** Numbers from 0 to 1 that a seed makes. */
function chance(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What the endpoint does for some minutes: away for half an hour at times, slow, or taking events and denying it. */
const phases: Readonly<Record<string, (random: () => number) => Answer>> = {
  well: () => ({ status: 204 }),
  away: (random) => (random() < 0.5 ? 'refused' : { status: 503, headers: { 'retry-after': '20' } }),
  slow: (random) => (random() < 0.3 ? 'late' : { status: 200 }),
  lying: (random) => (random() < 0.4 ? 'broken' : random() < 0.5 ? { status: 500 } : { status: 200 }),
};
const order = ['well', 'away', 'lying', 'slow', 'well', 'lying', 'away', 'slow'];
const lasts: Readonly<Record<string, number>> = { well: 0.2, away: 30, slow: 2, lying: 0.5 };

it(`TE122: ${count} events reach an endpoint that is away, slow and lying, each at least once under one id`, async () => {
  const { clock, endpoints, start, hook, say, inTime, close, state } = await webhooksWorld();
  const random = chance(seed);
  let [phase, until] = [0, clock.now()];
  const seen = new Set<string>();
  const taken = new Map<string, { body: string; times: number }>();
  endpoints.answer = ({ id, body }) => {
    while (clock.now() >= until) {
      phase += 1;
      until += (lasts[order[phase % order.length] ?? ''] ?? 0) * minuteMs;
    }
    const name = order[phase % order.length] ?? '';
    const answer = phases[name]?.(random) ?? { status: 204 };
    seen.add(name);
    const hasArrived = typeof answer === 'object' ? answer.status !== 503 : answer === 'broken';
    if (!hasArrived) return answer;
    const before = taken.get(id);
    if (before) expect(body).toBe(before.body);
    taken.set(id, { body, times: (before?.times ?? 0) + 1 });
    return answer;
  };
  const id = await hook(url);
  const runner = start();
  await inTime('it delivers', () => runner.active);
  for (let said = 0; said < count; said += 100) {
    await say(Math.min(100, count - said));
    await inTime('some of them arrived', () => taken.size > said / 2, 1_000, 60 * count);
  }
  await inTime('all arrived', () => taken.size >= count, 1_000, 60 * count);
  expect(taken.size).toBe(count);
  expect(new Set([...taken.values()].map(({ body }) => body)).size).toBe(count);
  expect([...seen].sort()).toEqual(Object.keys(phases).sort());
  expect([...taken.values()].filter(({ times }) => times > 1).length).toBeGreaterThan(0);
  expect((await state(id))?.status).toBe('active');
  await close();
});
