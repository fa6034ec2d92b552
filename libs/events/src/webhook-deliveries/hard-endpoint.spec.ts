import { Logger } from '@nestjs/common';
import { webhooksWorld, type Answer } from '../testing/webhooks.fixture.js';

/** The gate sends a share; `npm run soak -- webhooks` sends 10,000. */
const count = Number(process.env.WEBHOOK_EVENTS ?? 500);
const seed = Number(process.env.SEED ?? 1);
Logger.overrideLogger(false);
jest.setTimeout(60_000 + 180 * count);

const url = 'https://hard.example/events';
/** Another hook of the organization, whose endpoint takes everything at once. */
const wellUrl = 'https://well.example/events';
const minuteMs = 60_000;

/** Numbers from 0 to 1 that a seed makes. */
function chance(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * What the endpoint does for some time, which the clock is moved through: away for an hour, slow, hanging until the
 * sender gives up, or taking events and denying it.
 */
const phases: Readonly<Record<string, (random: () => number) => Answer>> = {
  well: () => ({ status: 204 }),
  away: (random) => (random() < 0.5 ? 'refused' : { status: 503, headers: { 'retry-after': '20' } }),
  slow: (random) => (random() < 0.3 ? 'late' : { status: 200 }),
  hanging: () => 'late',
  lying: (random) => (random() < 0.4 ? 'broken' : random() < 0.5 ? { status: 500 } : { status: 200 }),
};
const order = ['well', 'away', 'lying', 'slow', 'hanging', 'well', 'lying', 'away', 'hanging', 'slow'];
/** Each but `away` lasts for so many tries, so that it is met whatever the hook waits for. */
const triesOf: Readonly<Record<string, number>> = { well: count / 5, slow: count / 5, hanging: 20, lying: count / 4 };
const awayMs = 60 * minuteMs;
/** The other hook has each event so soon, by the moved clock: both hooks together have a hundred in a second. */
const lagMsMax = 10_000;

it(`TE122, TE124: ${count} events reach an endpoint that is away for an hour, slow, hanging and lying, each at least once under one id, and another one at once`, async () => {
  const { clock, endpoints, start, hook, say, inTime, close, state } = await webhooksWorld();
  const random = chance(seed);
  let phase = 0;
  let began = { at: clock.now(), tries: 0 };
  const seen = new Set<string>();
  const taken = new Map<string, { body: string; times: number }>();
  const saidAt: number[] = [];
  const well: { id: string; lagMs: number }[] = [];
  let tries = 0;
  endpoints.answer = ({ id, body, url: to, at }) => {
    if (to === wellUrl) {
      well.push({ id, lagMs: at - (saidAt[well.length] ?? at) });
      return { status: 204 };
    }
    tries += 1;
    const lasted = triesOf[order[phase % order.length] ?? ''];
    if (lasted === undefined ? clock.now() - began.at >= awayMs : tries - began.tries > lasted) {
      phase += 1;
      began = { at: clock.now(), tries };
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
  await hook(wellUrl);
  const stepMs = () => (['away', 'hanging'].includes(order[phase % order.length] ?? '') ? 10_000 : 1_000);
  const runner = start();
  await inTime('it delivers', () => runner.active);
  for (let said = 0; said < count; said += 100) {
    const batch = Math.min(100, count - said);
    saidAt.push(...Array.from({ length: batch }, () => clock.now()));
    await say(batch);
    await inTime('the other one has all', () => well.length >= saidAt.length, 100);
    await inTime('some of them arrived', () => taken.size > said / 2, stepMs, 180 * count);
  }
  await inTime('all arrived', () => taken.size >= count, stepMs, 180 * count);
  expect(taken.size).toBe(count);
  expect(new Set([...taken.values()].map(({ body }) => body)).size).toBe(count);
  expect([...seen].sort()).toEqual(Object.keys(phases).sort());
  expect([...taken.values()].filter(({ times }) => times > 1).length).toBeGreaterThan(0);
  expect((await state(id))?.status).toBe('active');
  expect(well).toHaveLength(count);
  expect(new Set(well.map((one) => one.id)).size).toBe(count);
  const slowest = well.reduce((most, { lagMs }) => Math.max(most, lagMs), 0);
  expect(slowest).toBeLessThan(lagMsMax);
  const hours = ((clock.now() - (saidAt[0] ?? 0)) / (60 * minuteMs)).toFixed(1);
  const again = [...taken.values()].filter(({ times }) => times > 1).length;
  process.stdout.write(
    `said: ${count} events in ${hours} h of a moved clock, ${phase + 1} phases (well, away for an hour, lying, slow, hanging): ${tries} tries, every event arrived under its id, ${again} more than once; the other hook had each once, within ${slowest} ms\n`,
  );
  await close();
});
