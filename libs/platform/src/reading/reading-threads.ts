import type { Worker, WorkerOptions } from 'node:worker_threads';
import { messageOf, type Clock } from '@aos/kernel';
import { WaitingReadings, type WaitingBounds } from './waiting-readings.js';

/** Why there is no result. `isPassing`: the work was not looked at, and may be given again. */
export interface ReadingFailure {
  failure: string;
  isPassing?: true;
}

/** A thread sends `ready` when it begins to read, and its result or a failure when it has read. */
type FromReader<Result> = 'ready' | Result | ReadingFailure;

export interface ReadingBounds {
  /** Threads at once; the rest of the work waits. */
  readonly threads: number;
  /** From the start of a thread until it is ready. */
  readonly startMs: number;
  /** From then until its end. */
  readonly readingMs: number;
  readonly megabytes: number;
  readonly waiting: WaitingBounds;
  readonly waitingPerOrganization: WaitingBounds;
}

export interface Reader<Work> {
  /** What is read, in the plural, for messages. */
  readonly things: string;
  readonly bounds: ReadingBounds;
  /** Starts a thread that reads its `workerData`. */
  start(options: Pick<WorkerOptions, 'env' | 'resourceLimits'> & { workerData: Work }): Worker;
  /** Takes what ended a thread and is no fault of the work. */
  onTrouble(work: Work, message: string): void;
}

interface Waiting<Work, Result> {
  readonly orgId: string;
  readonly work: Work;
  settle(reading: Result | ReadingFailure): void;
}

const stops: ReadingFailure = { failure: 'the service stops', isPassing: true };
const doesNotStart: ReadingFailure = { failure: 'the thread that reads it does not start', isPassing: true };

/**
 * Reads what comes from outside, each piece of work in a thread of its own that ends with it, with bounds of time and
 * memory: what takes long for its size holds up nothing else. What waits is bounded, the organizations take turns.
 */
export class ReadingThreads<Work extends { readonly bytes: Uint8Array }, Result extends object> {
  private readonly waiting: WaitingReadings<Waiting<Work, Result>>;
  private readonly threads = new Set<Worker>();
  private isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly reader: Reader<Work>,
  ) {
    this.waiting = new WaitingReadings(reader.bounds.waitingPerOrganization, reader.bounds.waiting);
  }

  /** Gives a failure for every fault of the work and of its thread; never rejects. */
  read(orgId: string, work: Work): Promise<Result | ReadingFailure> {
    return new Promise((settle) => {
      if (this.isClosed) settle(stops);
      else if (this.waiting.push({ orgId, work, settle })) this.next();
      else settle({ failure: `too many ${this.reader.things} wait to be read`, isPassing: true });
    });
  }

  /** What waits or is read gets a passing failure; resolves when every thread has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (let left = this.waiting.shift(); left; left = this.waiting.shift()) left.settle(stops);
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private next(): void {
    while (!this.isClosed && this.threads.size < this.reader.bounds.threads) {
      const waiting = this.waiting.shift();
      if (!waiting) return;
      const thread = this.started(waiting);
      if (thread) this.follow(thread, waiting);
    }
  }

  /** Null: the system gives no thread, and the work has its failure. */
  private started({ work, settle }: Waiting<Work, Result>): Worker | null {
    const resourceLimits = { maxOldGenerationSizeMb: this.reader.bounds.megabytes };
    try {
      return this.reader.start({ workerData: work, env: {}, resourceLimits });
    } catch (error) {
      this.reader.onTrouble(work, messageOf(error));
      settle(doesNotStart);
      return null;
    }
  }

  private follow(thread: Worker, { work, settle }: Waiting<Work, Result>): void {
    const { startMs, readingMs, megabytes } = this.reader.bounds;
    this.threads.add(thread);
    let reading: Result | ReadingFailure = doesNotStart;
    let isEnded = false;
    const end = (failure: ReadingFailure): void => {
      reading = failure;
      isEnded = true;
      void thread.terminate();
    };
    let timer = this.clock.after(startMs, () => {
      end(doesNotStart);
    });
    thread.on('message', (said: FromReader<Result>) => {
      if (said !== 'ready') reading = said;
      if (said !== 'ready' || isEnded) return;
      reading = { failure: 'it could not be read' };
      timer.cancel();
      timer = this.clock.after(readingMs, () => {
        end({ failure: `it takes longer than ${readingMs / 1000} s to read` });
      });
    });
    thread.on('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') reading = { failure: `it takes over ${megabytes} MiB to read` };
      else this.reader.onTrouble(work, error.message);
    });
    thread.on('exit', () => {
      timer.cancel();
      this.threads.delete(thread);
      settle(this.isClosed && 'failure' in reading ? { ...reading, isPassing: true } : reading);
      this.next();
    });
  }
}
