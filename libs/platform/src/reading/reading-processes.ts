import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileBeside, messageOf, startProcess, type Clock } from '@aos/kernel';
import { WaitingReadings, type WaitingBounds } from './waiting-readings.js';

/** Why there is no result. `isPassing`: the work was not looked at, and may be given again. */
export interface ReadingFailure {
  failure: string;
  isPassing?: true;
}

/** A process sends `ready` when it begins to read, and its result or a failure when it has read. */
type FromReader<Result> = 'ready' | Result | ReadingFailure;

export interface ReadingBounds {
  /** Processes at once; the rest of the work waits. */
  readonly processes: number;
  /** From the start of a process until it is ready. */
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
  /** Its function `read` takes the work in a process of its own. A file beside that of `caller`. */
  readonly code: { readonly caller: string; readonly file: string };
  readonly bounds: ReadingBounds;
  /** Takes what ended a process and is no fault of the work. */
  onTrouble(work: Work, message: string): void;
}

interface Waiting<Work, Result> {
  readonly orgId: string;
  readonly work: Work;
  settle(reading: Result | ReadingFailure): void;
}

const stops: ReadingFailure = { failure: 'the service stops', isPassing: true };
const doesNotStart: ReadingFailure = { failure: 'the process that reads it does not start', isPassing: true };
const couldNot: ReadingFailure = { failure: 'it could not be read' };
/** Node ends itself by one of the first three where its heap is full, the system by the last. */
const memorySignals: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL'];
/** Characters that are kept of what a process writes of its errors. */
const writtenMax = 4096;

/**
 * Reads what comes from outside, each piece of work in a process of its own that ends with it, with bounds of time and
 * memory: what takes long for its size holds up nothing else, and what takes too much memory ends nothing else. What
 * waits is bounded, the organizations take turns.
 */
export class ReadingProcesses<Work extends { readonly bytes: Uint8Array }, Result extends object> {
  private readonly waiting: WaitingReadings<Waiting<Work, Result>>;
  private readonly running = new Set<ChildProcess>();
  private isClosed = false;

  /** `start`: gives a process that reads what it is sent; may throw. */
  constructor(
    private readonly clock: Clock,
    private readonly reader: Reader<Work>,
    private readonly start: () => ChildProcess = () => startReading(reader),
  ) {
    this.waiting = new WaitingReadings(reader.bounds.waitingPerOrganization, reader.bounds.waiting);
  }

  /** Gives a failure for every fault of the work and of its process; never rejects. */
  read(orgId: string, work: Work): Promise<Result | ReadingFailure> {
    return new Promise((settle) => {
      if (this.isClosed) settle(stops);
      else if (this.waiting.push({ orgId, work, settle })) this.next();
      else settle({ failure: `too many ${this.reader.things} wait to be read`, isPassing: true });
    });
  }

  /** What waits or is read gets a passing failure; resolves when every process has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (let left = this.waiting.shift(); left; left = this.waiting.shift()) left.settle(stops);
    await Promise.all(
      [...this.running].map(async (child) => {
        const ended = once(child, 'close');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  }

  private next(): void {
    while (!this.isClosed && this.running.size < this.reader.bounds.processes) {
      const waiting = this.waiting.shift();
      if (!waiting) return;
      const child = this.started(waiting);
      if (child) this.follow(child, waiting);
    }
  }

  /** Null: the system gives no process, and the work has its failure. */
  private started({ work, settle }: Waiting<Work, Result>): ChildProcess | null {
    try {
      return this.start();
    } catch (error) {
      this.reader.onTrouble(work, messageOf(error));
      settle(doesNotStart);
      return null;
    }
  }

  private follow(child: ChildProcess, { work, settle }: Waiting<Work, Result>): void {
    this.running.add(child);
    this.outcome(child, work, (reading) => {
      this.running.delete(child);
      settle(this.isClosed && 'failure' in reading ? { ...reading, isPassing: true } : reading);
      this.next();
    });
  }

  /** Sends the work. `end` is called once, when the process has ended. */
  private outcome(child: ChildProcess, work: Work, end: (reading: Result | ReadingFailure) => void): void {
    const { startMs, readingMs, megabytes } = this.reader.bounds;
    let result: Result | ReadingFailure | null = null;
    let givenUp: ReadingFailure | null = null;
    let isReady = false;
    const timerOf = (afterMs: number, failure: ReadingFailure) =>
      this.clock.after(afterMs, () => {
        givenUp = failure;
        child.kill('SIGKILL');
      });
    let timer = timerOf(startMs, doesNotStart);
    child.on('message', (said: FromReader<Result>) => {
      if (givenUp) return;
      if (said !== 'ready') {
        result = said;
        return;
      }
      isReady = true;
      timer.cancel();
      timer = timerOf(readingMs, { failure: `it takes longer than ${readingMs / 1000} s to read` });
    });
    const written = endOfErrors(child);
    const finish = (trouble: string | null): void => {
      timer.cancel();
      if (trouble !== null) this.reader.onTrouble(work, trouble);
      end(result ?? givenUp ?? (isReady ? couldNot : doesNotStart));
    };
    child.once('close', (code, signal) => {
      if (result || givenUp || this.isClosed) return finish(null);
      if (!isReady || !memorySignals.includes(signal)) return finish(written() || `ends with ${signal ?? code}`);
      result = { failure: `it takes over ${megabytes} MiB to read` };
      finish(null);
    });
    child.on('error', (error) => {
      this.reader.onTrouble(work, error.message); // its end follows
    });
    child.send(work as object, () => undefined); // one that cannot take it ends
  }
}

function startReading({ code, bounds }: Pick<Reader<unknown>, 'code' | 'bounds'>): ChildProcess {
  return startProcess(__filename, 'reading-process', fileBeside(code.caller, code.file), bounds.megabytes);
}

/** Gives the end of what a process has written of its errors. */
function endOfErrors({ stderr }: ChildProcess): () => string {
  let written = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    written = (written + text).slice(-writtenMax);
  });
  return () => written.trim();
}
