import { Worker } from 'node:worker_threads';
import { processorBudget } from './processor-budget.js';

/** A thread that works for so many milliseconds of its own processor time when told, or sleeps until the end. */
const source = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (workMs) => {
    const spentMs = () => process.threadCpuUsage().user / 1000;
    for (const until = spentMs() + workMs; spentMs() < until;);
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
`;
let worker: Worker;

beforeEach(async () => {
  worker = new Worker(source, { eval: true });
  await new Promise((resolve) => {
    worker.once('message', resolve);
  });
});
afterEach(() => worker.terminate());

const done = () =>
  new Promise((resolve) => {
    worker.once('message', resolve);
  });

it('is spent by work', async () => {
  const budget = processorBudget(worker, 60, 60_000);
  worker.postMessage(100_000);
  expect(await budget.isSpent).toBe(true);
});

it('is not spent by waiting, only by its patience', async () => {
  const budget = processorBudget(worker, 50_000, 150);
  const startedAt = performance.now();
  expect(await budget.isSpent).toBe(true);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(140);
});

it('lets work within it end', async () => {
  const budget = processorBudget(worker, 5_000, 60_000);
  const ended = done();
  worker.postMessage(120);
  expect(await Promise.race([ended, budget.isSpent])).toBe('done');
  budget.cancel();
  expect(await budget.isSpent).toBe(false);
});

it('counts a thread that is gone as spent', async () => {
  const budget = processorBudget(worker, 5_000, 60_000);
  await worker.terminate();
  expect(await budget.isSpent).toBe(true);
});
