import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '@aos/kernel';
import { SchemaThread } from './schema-thread.js';

const question = { hash: 'h', schema: '{}', value: '1' };
const fits = { outcome: 'fits', id: expect.any(Number) as number, spentMs: 0 };

/** Threads that do as their code says with each question, one after the other. */
function threadOf(...codes: string[]) {
  let started = 0;
  const troubles: string[] = [];
  const exits: Promise<unknown>[] = [];
  const thread = new SchemaThread(
    (message) => {
      troubles.push(message);
    },
    () => {
      const code = codes[Math.min(started, codes.length - 1)] ?? '';
      started += 1;
      const worker = new Worker(
        `
      const { parentPort } = require('node:worker_threads');
      const answer = (id, outcome, isFull) => parentPort.postMessage({ id, outcome, spentMs: 0, ...(isFull && { isFull }) });
      parentPort.on('message', ({ id }) => { ${code} });
      parentPort.postMessage('ready');`,
        { eval: true },
      );
      exits.push(
        new Promise((resolve) => {
          worker.once('exit', resolve);
        }),
      );
      return new Promise((resolve) => {
        worker.once('message', () => {
          resolve(worker);
        });
      });
    },
  );
  return { thread, troubles, exits, startedCount: () => started };
}

const well = "answer(id, 'fits')";

describe('the thread of schemas', () => {
  it('control S25: that dies of a question is replaced, and the next question has an answer of its own', async () => {
    const { thread, startedCount } = threadOf("throw new Error('boom')", well);
    expect(await thread.ask(question, 1_000)).toBe('died');
    expect(await thread.ask(question, 1_000)).toEqual(fits);
    expect(startedCount()).toBe(2);
    await thread.close();
  });

  it('control S25: that dies after its answer, of a promise that was rejected, is not the answer to the next question', async () => {
    const { thread, exits } = threadOf(`${well}; setImmediate(() => { Promise.reject(new Error('later')); });`, well);
    expect(await thread.ask(question, 1_000)).toEqual(fits);
    await exits[0];
    expect(await thread.ask(question, 1_000)).toEqual(fits);
    await thread.close();
  });

  it('control S25: that gives no boolean, or ends quietly, is replaced', async () => {
    const { thread, troubles } = threadOf("answer(id, 'broken')", 'process.exit(0)', well);
    expect(await thread.ask(question, 1_000)).toBe('died');
    expect(await thread.ask(question, 1_000)).toBe('died');
    expect(await thread.ask(question, 1_000)).toEqual(fits);
    expect(troubles).not.toEqual([]);
    await thread.close();
  });

  it('control S25: that keeps much is replaced after its answer, before it can need too much', async () => {
    const { thread, troubles, startedCount } = threadOf(`${well.replace("'fits'", "'fits', true")}`, well);
    expect(await thread.ask(question, 1_000)).toEqual({ ...fits, isFull: true });
    expect(await thread.ask(question, 1_000)).toEqual(fits);
    expect([startedCount(), troubles]).toEqual([2, []]);
    await thread.close();
  });

  it('control S25: schemas that each keep megabytes end no thread', async () => {
    const troubles: string[] = [];
    const thread = new SchemaThread((message) => void troubles.push(message));
    const patterns = (index: number) =>
      Array.from({ length: 20 }, (_none, k) => [`p${k}`, { pattern: `^(a${index}_${k}|b){1,50}[a-z]{1,60}$` }]);
    const outcomes = new Set<unknown>();
    let replaced = 0;
    for (let index = 0; index < 60 || replaced === 0; index += 1) {
      const schema = JSON.stringify({ type: 'object', properties: Object.fromEntries(patterns(index)) as object });
      const answer = await thread.ask({ hash: `h${index}`, schema, value: '{}' }, 10_000);
      outcomes.add(typeof answer === 'object' ? answer.outcome : answer);
      if (typeof answer === 'object' && answer.isFull) replaced += 1;
    }
    expect([...outcomes, ...troubles]).toEqual(['fits']);
    await thread.close();
  });

  it('gives nothing of an answer to another question', async () => {
    const { thread } = threadOf(`answer(id - 1, 'broken'); ${well}`);
    expect(await thread.ask(question, 1_000)).toEqual(fits);
    expect(await thread.ask(question, 1_000)).toEqual(fits);
    await thread.close();
  });

  it('that does not start refuses each question', async () => {
    const thread = new SchemaThread(
      () => undefined,
      () => Promise.reject(new StoreUnavailable('no thread')),
    );
    await expect(thread.ask(question, 1_000)).rejects.toThrow('no thread');
    await expect(thread.ask(question, 1_000)).rejects.toThrow('no thread');
  });
});
