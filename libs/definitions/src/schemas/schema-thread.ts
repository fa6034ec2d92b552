import type { Worker } from 'node:worker_threads';
import { StoreUnavailable, startThread } from '@aos/kernel';
import { processorBudget } from './processor-budget.js';
import { threadMegabytes } from './schema.limits.js';
import type { SchemaAnswer, SchemaQuestion } from './schema-messages.js';

const startMs = 10_000;
/** A question takes no longer, however little of that is its own work. */
const patienceMs = 10_000;

/**
 * `too_slow`: it spent its budget. `died`: the thread ended while it worked on the question, or gave an answer that is
 * none.
 */
export type ThreadAnswer = SchemaAnswer | 'too_slow' | 'died';

/**
 * The thread that compiles schemas and checks values, asked one question at a time.
 *
 * A thread that is too slow, dies or answers nonsense is replaced at once, also when it dies between two questions: its
 * end is never the answer to a question that it was not asked. One that keeps much of its schemas is replaced after its
 * answer.
 */
export class SchemaThread {
  private current: Worker | null = null;
  private starting: Promise<Worker> | null = null;
  private asked = 0;
  private asking: { worker: Worker; id: number; settle(answer: ThreadAnswer): void } | null = null;
  private isClosed = false;

  /** `startWorker`: rejects with `StoreUnavailable`. */
  constructor(
    private readonly onTrouble: (message: string) => void,
    private readonly startWorker: () => Promise<Worker> = startSchemaWorker,
  ) {}

  /** Refuses `StoreUnavailable` when no thread starts. */
  async ask(question: Omit<SchemaQuestion, 'id'>, budgetMs: number): Promise<ThreadAnswer> {
    const worker = this.current ?? (await this.started());
    const id = (this.asked += 1);
    const answer = await new Promise<ThreadAnswer>((resolve) => {
      const budget = processorBudget(worker, budgetMs, patienceMs);
      void budget.isSpent.then((isSpent) => {
        if (isSpent) resolve('too_slow');
      });
      this.asking = {
        worker,
        id,
        settle: (given) => {
          budget.cancel();
          resolve(given);
        },
      };
      worker.postMessage({ id, ...question } satisfies SchemaQuestion);
    });
    this.asking = null;
    if (typeof answer === 'object' && answer.outcome !== 'broken') {
      if (answer.isFull) await this.replace(worker);
      return answer;
    }
    this.onTrouble(`schema ${question.hash} ${answer === 'too_slow' ? 'takes too long' : 'broke its thread'}`);
    await this.replace(worker);
    return answer === 'too_slow' ? answer : 'died';
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const worker = this.current ?? (await this.starting?.catch(() => null));
    this.current = null;
    await worker?.terminate();
  }

  /** The next one starts now, so that the next question does not wait for all of its start. */
  private async replace(worker: Worker): Promise<void> {
    if (this.current === worker) this.current = null;
    await worker.terminate();
    if (!this.isClosed)
      this.started().catch((error: unknown) => {
        this.onTrouble(String(error));
      });
  }

  private started(): Promise<Worker> {
    this.starting ??= this.start().finally(() => {
      this.starting = null;
    });
    return this.starting;
  }

  private async start(): Promise<Worker> {
    const worker = await this.startWorker();
    worker.on('message', (answer: SchemaAnswer) => {
      if (this.asking?.worker === worker && this.asking.id === answer.id) this.asking.settle(answer);
    });
    worker.on('error', (error) => {
      this.onTrouble(`the schema thread failed: ${error.message}`);
    }); // its exit follows
    worker.on('exit', () => {
      if (this.current === worker) this.current = null;
      if (this.asking?.worker === worker) this.asking.settle('died');
    });
    this.current = worker;
    return worker;
  }
}

function startSchemaWorker(): Promise<Worker> {
  const worker = startThread(__filename, 'schema.worker', {
    resourceLimits: { maxOldGenerationSizeMb: threadMegabytes },
  });
  worker.unref();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      void worker.terminate();
      reject(new StoreUnavailable('the schema thread does not start'));
    }, startMs);
    worker.once('error', (error: Error) => {
      clearTimeout(timer);
      reject(new StoreUnavailable(`the schema thread does not start: ${error.message}`));
    });
    worker.once('message', () => {
      clearTimeout(timer);
      resolve(worker);
    });
  });
}
