import { StoreUnavailable } from '@aos/kernel';
import { Gate } from './gate.js';

/** Work whose end the test decides. */
class Held {
  readonly begun: string[] = [];
  private readonly ends: (() => void)[] = [];

  work(name: string): () => Promise<void> {
    return () => {
      this.begun.push(name);
      return new Promise((resolve) => this.ends.push(resolve));
    };
  }

  async endNext(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve)); // it has begun by then
    this.ends.shift()?.();
  }
}

test('TP3: what waits for the event store goes in turns of the organizations, each in its order', async () => {
  const gate = new Gate(1, { waiting: 10, waitingPerOrganization: 5 });
  const held = new Held();
  const names = [...Array.from({ length: 5 }, (_, n) => `greedy ${n}`), 'modest 0', 'modest 1'];
  const all = names.map((name) => gate.run(name.split(' ')[0]!, held.work(name)));
  for (const _ of names) await held.endNext();
  await Promise.all(all);
  expect(held.begun).toEqual(['greedy 0', 'greedy 1', 'modest 0', 'greedy 2', 'modest 1', 'greedy 3', 'greedy 4']);
});

test('TP3: only the organization whose places are taken is refused', async () => {
  const gate = new Gate(1, { waiting: 10, waitingPerOrganization: 5 });
  const held = new Held();
  const greedy = Array.from({ length: 8 }, (_, n) => gate.run('greedy', held.work(`greedy ${n}`)));
  const refused = Promise.allSettled(greedy.slice(6));
  const modest = gate.run('modest', held.work('modest'));
  for (let n = 0; n < 7; n += 1) await held.endNext();
  await Promise.all([...greedy.slice(0, 6), modest]);
  for (const result of await refused)
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) as unknown });
});
