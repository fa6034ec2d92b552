import { StoreUnavailable, startThread, type Clock } from '@aos/kernel';
import type { Worker } from 'node:worker_threads';
import type { GatheredWrites, WaitingJob } from './gathered-writes.js';
import { UnsentWrites } from './unsent-writes.js';
import type { FromViews, Job, PutParameters, Step, ToViews } from './views-messages.js';

const waitingMax = 60_000; // jobs: each row that is put is one
const putsMax = 8192; // rows that were put and are not written
/** What is gathered goes at once when it is so much: a reader waits for no more. */
const gatheredMax = { steps: 2048, characters: 8 * 1024 * 1024 };
/** How long jobs gather: a transaction costs much the same however many are in it. No reader waits for this. */
const gatherMs = 500;
/** Characters of rows that are built and not written yet: with more, their builder waits for the thread. */
export const aheadMax = 8 * 1024 * 1024;
/** Messages without a whole answer, while rows are built: their builder goes on while the thread makes entries. */
const messagesMax = 16;
/** So many characters of rows that are built make a message. */
const builtMax = aheadMax / messagesMax;

/** A message to the thread. */
interface SentWrites {
  readonly waiting: readonly WaitingJob[];
  /** How many of them have an answer. */
  answered: number;
  readonly collections: ReadonlySet<string>[];
  /** They wait until all are answered. */
  readonly readers: (() => void)[];
}

/**
 * The main thread's end of the views' thread: gives it many jobs a message, in the order in which they came, and tells
 * who waits for them.
 */
export class ViewsWriter {
  /** Collections with rows that may not be found by their index yet. */
  private readonly late = new Set<string>();
  private unsent = new UnsentWrites();
  /** When the first of them came. */
  private gatheredFrom = 0;
  /** Whether a reader waits for them, or they are many. */
  private isUrgent = false;
  /** What sends them. */
  private sending: { isPrompt: boolean; cancel(): void } | null = null;
  /** Messages without a whole answer, in order. */
  private readonly sent: SentWrites[] = [];
  /** Jobs without an answer, of `unsent` and `sent`. */
  private waiting = 0;
  /** Characters of jobs that build rows and are not written yet. */
  private ahead = 0;
  private readonly builders: (() => void)[] = [];
  private unawaited = 0;
  private lost = 0;
  private isLosing = false;
  private ended: Error | null = null;
  private onClosed: () => void = () => undefined;

  /** For jobs that no caller awaits. */
  private readonly deferredJob: WaitingJob = {
    resolve: () => {
      this.unawaited -= 1;
      this.isLosing = false;
    },
    reject: (error) => {
      this.unawaited -= 1;
      this.lose(error.message);
    },
  };

  private constructor(
    private readonly worker: Worker,
    private readonly clock: Clock,
  ) {}

  /** Starts the thread; resolves when it has the file. */
  static async open(file: string, clock: Clock): Promise<ViewsWriter> {
    const worker = startThread(__filename, 'views.worker', { workerData: { file } });
    const writer = new ViewsWriter(worker, clock);
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: FromViews) => {
        if (message.kind === 'opened') resolve();
        else writer.take(message);
      });
      worker.on('error', (error) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        reject(failure);
        writer.fail(failure);
      });
      worker.on('exit', (code) => {
        writer.fail(new Error(`the views' writer ended with ${code}`));
      });
    });
    return writer;
  }

  /** Why nothing is written any more; null while it is. */
  get failure(): Error | null {
    return this.ended;
  }

  /** How many jobs of `putLater` could not be written. */
  get losses(): number {
    return this.lost;
  }

  /** How many jobs of `putLater` are not written yet. */
  get unwritten(): number {
    return this.unawaited;
  }

  /** Whether more is put than the thread keeps up with: who puts ought to wait. */
  get isBehind(): boolean {
    return this.unawaited >= putsMax || this.unsent.characters >= gatheredMax.characters;
  }

  /** Writes the steps together, at once, before it resolves. Gives how many rows the first step changed. */
  async run(steps: Step[]): Promise<number> {
    const written = this.runGathered(steps, []);
    this.unsent.separate();
    this.hurry();
    return written;
  }

  /**
   * As `run`, of steps that change no rows, but together with what comes until a reader waits for one of the
   * collections, or `hurry` is called.
   */
  runGathered(steps: Step[], collections: Iterable<string>): Promise<number> {
    return new Promise((resolve, reject) => {
      this.enqueue({ steps, isAwaited: true, losses: null, isBuilding: false }, { resolve, reject }, collections);
    });
  }

  /**
   * As `runGathered`, but it ends when the first step changes nothing. Gives null when an earlier job that no caller
   * awaits was lost: nothing is written.
   */
  async runGuarded(steps: Step[], collections: Iterable<string>): Promise<number | null> {
    const all = [...collections];
    if (all.some((collection) => this.late.has(collection))) this.index();
    const changed = await new Promise<number>((resolve, reject) => {
      this.enqueue({ steps, isAwaited: true, losses: this.lost, isBuilding: false }, { resolve, reject }, all);
    });
    return changed < 0 ? null : changed;
  }

  /**
   * As `runGuarded`, of rows that are built: resolves before they are written, once not too many wait for that. A job
   * whose first step changes nothing is a loss, as one that fails. Its rows are found by their index after `indexed`
   * only.
   */
  async build(steps: Step[], collections: Iterable<string>): Promise<void> {
    const all = [...collections];
    for (const collection of all) this.late.add(collection);
    const before = this.unsent.characters;
    let size = 0;
    const answered = (changed: number): void => {
      this.ahead -= size;
      if (changed === 0) this.lose('their checkpoint is another one');
      else if (changed > 0) this.isLosing = false;
    };
    const reject = (error: Error): void => {
      this.ahead -= size;
      this.lose(error.message);
    };
    this.enqueue({ steps, isAwaited: false, losses: this.lost, isBuilding: true }, { resolve: answered, reject }, all);
    size = this.unsent.characters - before;
    this.ahead += size;
    if (this.unsent.characters >= builtMax || this.ahead >= aheadMax) this.hurry();
    if (this.ahead < aheadMax) return;
    await new Promise<void>((resolve) => {
      this.builders.push(resolve);
    });
  }

  /**
   * Puts the rows, each as a job; those that are put already and not sent yet are renewed where they are. A job that
   * fails is a loss.
   */
  putLater(rows: readonly PutParameters[]): void {
    this.refuseIfFull();
    let count = 0;
    for (const row of rows) if (this.unsent.put(row, this.deferredJob)) count += 1;
    this.unawaited += count;
    if (count > 0) this.enqueued(count);
  }

  /** What was given goes without waiting for more. */
  hurry(): void {
    if (this.unsent.jobs === 0) return;
    this.isUrgent = true;
    this.sendSoon();
  }

  /**
   * Resolves when all rows of the collection are written or lost, at once when there are none. Puts of its rows are
   * sent ahead of all else; commits that hold some are sent with everything, without a pause.
   */
  async settled(collection: string): Promise<void> {
    if (this.ended) return;
    if (this.unsent.holds(collection)) return this.allSettled();
    const puts = this.unsent.takePuts(collection);
    // who waits for all waits for these, where nothing else is left to be sent
    if (puts) this.send([puts], this.unsent.jobs === 0 ? this.unsent.readers.splice(0) : []);
    await this.answered(this.sent.findLast(({ collections }) => collections.some((one) => one.has(collection))));
  }

  /** As `settled`, and its rows are found by their index. */
  async indexed(collection: string): Promise<void> {
    if (this.late.has(collection) && !this.ended) this.index();
    await this.settled(collection);
  }

  /** As `settled`, of all collections. */
  async allSettled(): Promise<void> {
    if (this.ended) return;
    if (this.unsent.jobs === 0) return this.answered(this.sent.at(-1));
    this.hurry();
    const { readers } = this.unsent;
    await new Promise<void>((resolve) => {
      readers.push(resolve);
    });
  }

  /** Writes what was given, then ends the thread. */
  close(): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.flush();
      this.ended = new StoreUnavailable('the views are closed');
      this.onClosed = resolve;
      this.post({ kind: 'close' });
    });
  }

  /** The thread makes what entries it has not made yet. No caller waits for the job; one that fails is a loss. */
  private index(): void {
    this.refuseIfFull();
    const collections = [...this.late];
    this.late.clear();
    this.unawaited += 1;
    this.enqueue(
      { steps: [['entries', []]], isAwaited: false, losses: null, isBuilding: false },
      this.deferredJob,
      collections,
    );
  }

  private enqueue(job: Job, waiting: WaitingJob, collections: Iterable<string>): void {
    this.refuseIfFull();
    this.unsent.add(job, waiting, collections);
    this.enqueued(1);
  }

  private refuseIfFull(): void {
    if (this.ended) throw new StoreUnavailable(this.ended.message, { cause: this.ended });
    if (this.waiting >= waitingMax) throw new StoreUnavailable(`${waitingMax} writes of views are waiting`);
  }

  /** So many jobs were added. */
  private enqueued(count: number): void {
    this.waiting += count;
    const { jobs, steps, characters } = this.unsent;
    if (jobs === count) this.gatheredFrom = this.clock.monotonic();
    this.isUrgent ||= steps >= gatheredMax.steps || characters >= gatheredMax.characters;
    this.sendSoon();
  }

  private async answered(message: SentWrites | undefined): Promise<void> {
    if (!message) return;
    await new Promise<void>((resolve) => {
      message.readers.push(resolve);
    });
  }

  /**
   * What came while the thread was at work, or within some hundred milliseconds, goes in one message. A reader waits
   * for no pause.
   */
  private sendSoon(): void {
    if (this.unsent.jobs === 0 || this.sent.length >= (this.ahead > 0 ? messagesMax : 1)) return;
    if (this.sending && (this.sending.isPrompt || !this.isUrgent)) return;
    this.sending?.cancel();
    const send = () => {
      this.flush();
    };
    const pauseMs = this.isUrgent ? 0 : this.gatheredFrom + gatherMs - this.clock.monotonic();
    if (pauseMs > 0) {
      const timer = this.clock.after(pauseMs, send);
      this.sending = {
        isPrompt: false,
        cancel: () => {
          timer.cancel();
        },
      };
    } else {
      const immediate = setImmediate(send);
      this.sending = {
        isPrompt: true,
        cancel: () => {
          clearImmediate(immediate);
        },
      };
    }
  }

  private flush(): void {
    this.sending?.cancel();
    this.sending = null;
    const { parts, readers } = this.unsent;
    if (parts.length === 0 || this.ended) return;
    this.unsent = new UnsentWrites();
    this.isUrgent = false;
    this.send(parts, readers);
  }

  private send(writes: readonly GatheredWrites[], readers: (() => void)[]): void {
    const waiting = writes.flatMap((each) => each.waiting);
    this.sent.push({ waiting, answered: 0, collections: writes.map(({ collections }) => collections), readers });
    this.post({ kind: 'run', parts: writes.map(({ part }) => part) });
  }

  private post(message: ToViews): void {
    this.worker.postMessage(message);
  }

  private take(message: FromViews): void {
    if (message.kind === 'closed') {
      for (const { readers } of this.sent.splice(0)) for (const resolve of readers) resolve();
      this.goOn();
      this.onClosed();
    } else if (message.kind === 'done') {
      this.answer(message.changed.length, (job, n) => {
        job.resolve(message.changed[n]!);
      });
    } else if (message.kind === 'unavailable') {
      this.answer(message.count, (job) => {
        job.reject(new StoreUnavailable(`views cannot be written: ${message.message}`));
      });
    }
  }

  /** Answers the next jobs, which are of one message. */
  private answer(count: number, answer: (job: WaitingJob, n: number) => void): void {
    const message = this.sent[0];
    if (!message) return; // the thread ended, and they were refused
    const jobs = message.waiting.slice(message.answered, message.answered + count);
    message.answered += count;
    this.waiting -= count;
    jobs.forEach(answer);
    if (message.answered === message.waiting.length) {
      this.sent.shift();
      for (const resolve of message.readers) resolve();
    }
    this.goOn();
  }

  /** What waited for the thread. */
  private goOn(): void {
    if (this.ahead < aheadMax || this.ended) for (const go of this.builders.splice(0)) go();
    this.sendSoon();
  }

  /** What was taken to be written is not: counts it, and warns of the first after a success. */
  private lose(reason: string): void {
    this.lost += 1;
    if (!this.isLosing) process.emitWarning(`rows were not written: ${reason}`);
    this.isLosing = true;
  }

  private fail(error: Error): void {
    if (this.ended) return;
    this.ended = error;
    const { parts, readers } = this.unsent;
    this.unsent = new UnsentWrites();
    const jobs = [
      ...this.sent.flatMap(({ waiting, answered }) => waiting.slice(answered)),
      ...parts.flatMap(({ waiting }) => waiting),
    ];
    const all = [...this.sent.splice(0).flatMap((message) => message.readers), ...readers];
    this.waiting = 0;
    for (const job of jobs)
      job.reject(new StoreUnavailable(`views cannot be written: ${error.message}`, { cause: error }));
    for (const resolve of all) resolve();
    this.goOn();
  }
}
