import { MemoryReadStore } from '@aos/adapters/memory';
import { dueRow } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { DueTimers } from './due.js';

/** Timers of one handler, all due; those that are named stay so, as their handler fails. */
async function start(count: number, isStuck: (name: string) => boolean) {
  const clock = new ManualClock();
  const readStore = new MemoryReadStore();
  const timers = new DueTimers(readStore, clock);
  const put = (name: string, revision: number, at: number | null) =>
    readStore.put([dueRow({ stream: name, revision, name: 'end', at, handler: 'ends', details: { name } })]);
  for (let n = 0; n < count; n += 1) await put(`s-${n}`, 1, clock.now() - count + n);
  const ended: string[] = [];
  timers.register('ends', async (details) => {
    const name = String(details.name);
    if (isStuck(name)) throw new Error('it cannot be ended');
    ended.push(name);
    await put(name, 2, null);
  });
  return { timers, ended, put, clock };
}

it('hands over what is due, earliest first, and each once it is handled no more', async () => {
  const { timers, ended } = await start(3, () => false);
  await timers.poll();
  await timers.poll();
  expect(ended).toEqual(['s-0', 's-1', 's-2']);
});

it('comes to every timer, however many before it cannot be handled', async () => {
  const { timers, ended, put, clock } = await start(250, (name) => name !== 's-249' && name !== 'late');
  for (let polls = 0; polls < 3; polls += 1) await timers.poll();
  expect(ended).toEqual(['s-249']);
  await put('late', 1, clock.now());
  for (let polls = 0; polls < 3; polls += 1) await timers.poll();
  expect(ended).toEqual(['s-249', 'late']);
});

it('tries again what could not be handled', async () => {
  let isAway = true;
  const { timers, ended } = await start(150, () => isAway);
  await timers.poll();
  isAway = false;
  for (let polls = 0; polls < 3; polls += 1) await timers.poll();
  expect(ended).toHaveLength(150);
});
