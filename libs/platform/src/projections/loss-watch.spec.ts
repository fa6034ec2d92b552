import { MemoryReadStore } from '@aos/adapters/memory';
import { RowsInDoubt, StoreUnavailable, type CheckpointConflict, type KnownCheckpoint } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { Logger } from '@nestjs/common';
import { Checkpoint } from './checkpoint.js';
import { LossWatch, type Watched } from './loss-watch.js';

Logger.overrideLogger(false);

const names = Array.from({ length: 10 }, (_, n) => `things${n}@1`);
const at = (n: number) => String(n).padStart(20, '0');

/** Counts what is asked of it. */
class CountedReadStore extends MemoryReadStore {
  readonly asked: string[][] = [];
  beforeAnswer: () => Promise<void> = () => Promise.resolve();

  override async lost(known: readonly KnownCheckpoint[]): Promise<CheckpointConflict[]> {
    this.asked.push(known.map(({ projection }) => projection));
    const lost = await super.lost(known);
    await this.beforeAnswer();
    return lost;
  }
}

/** Everything that was under way has come as far as it can without the clock. */
const settled = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

async function world() {
  const clock = new ManualClock();
  const readStore = new CountedReadStore();
  const watch = new LossWatch(readStore, clock);
  const told: [string, string][] = [];
  const watched: Watched[] = [];
  for (const name of names) {
    const checkpoint = new Checkpoint(readStore, clock, name);
    await checkpoint.take();
    await checkpoint.move(at(5), []);
    watched.push({
      checkpoint,
      lost: (loss) => {
        told.push([name, loss.name]);
      },
    });
  }
  for (const each of watched) watch.add(each);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      await settled();
    }
  };
  return { clock, readStore, watch, watched, told, pass };
}

describe('what is asked of the read store at rest', () => {
  test('TP38: all projectors of a process ask one question a second, for what they read themselves', async () => {
    const { clock, readStore, watch, watched, pass } = await world();
    await pass(10);
    expect(readStore.asked).toEqual(Array.from({ length: 10 }, () => names));
    for (const each of watched.slice(1)) watch.remove(each);
    await pass(1);
    expect(readStore.asked.at(-1)).toEqual(names.slice(0, 1));
    watch.remove(watched[0]!);
    expect(clock.pendingTimers).toBe(0);
  });

  test('TP38: a loss is found within a second, and told once to those whom it concerns', async () => {
    const { readStore, told, pass } = await world();
    await readStore.drop('none', names[3]!);
    await pass(1);
    expect(told).toEqual([[names[3], 'CheckpointConflict']]);
    await pass(2);
    expect(told).toHaveLength(1);
    expect(readStore.asked.at(-1)).not.toContain(names[3]);
  });

  test('TP38: an earlier checkpoint is a loss, a later one is none, and another life puts all in doubt', async () => {
    const { readStore, watched, told, pass } = await world();
    readStore.save();
    await watched[2]!.checkpoint.move(at(7), []);
    await readStore.commit({ projection: names[4]!, from: at(5), to: at(9), rows: [] });
    await pass(1);
    expect(told).toEqual([]);
    readStore.crash();
    await pass(1);
    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(names.map((name, n) => [name, n === 2 ? 'CheckpointConflict' : RowsInDoubt.name])),
    );
  });
});

test('an answer that was asked for before a move does not take the move for a loss', async () => {
  const { readStore, watched, told, pass } = await world();
  let answer: () => void = () => undefined;
  readStore.beforeAnswer = () =>
    new Promise<void>((resolve) => {
      answer = resolve;
    });
  await pass(1);
  await watched[0]!.checkpoint.move(at(8), []);
  answer();
  await settled();
  expect(told).toEqual([]);
});

test('an answer does not reach what was removed meanwhile, and a read store that is away is asked again', async () => {
  const { readStore, watch, watched, told, pass } = await world();
  let answer: () => void = () => undefined;
  readStore.beforeAnswer = () =>
    new Promise<void>((resolve) => {
      answer = resolve;
    });
  readStore.empty();
  await pass(1);
  watch.remove(watched[0]!);
  answer();
  await settled();
  expect(told.map(([name]) => name)).toEqual(names.slice(1));
  readStore.beforeAnswer = () => Promise.reject(new StoreUnavailable('away'));
  watch.add(watched[0]!);
  await pass(2);
  expect(told.map(([name]) => name)).not.toContain(names[0]);
  readStore.beforeAnswer = () => Promise.resolve();
  await pass(1);
  expect(told.at(-1)).toEqual([names[0], 'CheckpointConflict']);
});
