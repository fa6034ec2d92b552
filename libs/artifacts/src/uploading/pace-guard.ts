import type { Readable } from 'node:stream';
import { Refusal, type Clock } from '@aos/kernel';

/** An upload lasts so long at most, and is ended below so many bytes a second (rule TE2). */
const longestMs = 15 * 60_000;
const bytesPerSecondMin = 16 * 1024;
const lookEveryMs = 10_000;

/** Ends an upload that comes too slowly or takes too long. Time in which the service itself keeps it is not counted. */
export class PaceGuard {
  private bytes = 0;
  private ownSince: number | null = null;
  private ownMs = 0;
  private looked: number;
  private readonly timers: { cancel(): void }[] = [];
  private refuse: (error: Refusal) => void = () => undefined;

  constructor(
    private readonly stream: Readable,
    private readonly clock: Clock,
  ) {
    this.looked = clock.monotonic();
    stream.on('data', this.count);
    stream.pause(); // the reader of the body begins when it is ready
    this.timers.push(clock.after(longestMs, () => this.refuse(tooSlow('the upload took over 15 minutes'))));
    this.lookLater();
  }

  /** The reading, or its refusal. */
  within<T>(reading: Promise<T>): Promise<T> {
    const slow = new Promise<never>((_resolve, refuse) => {
      this.refuse = (error) => {
        this.stream.unpipe();
        refuse(error);
      };
    });
    reading.catch(() => undefined); // given by the race, or over already
    return Promise.race([reading, slow]);
  }

  /** What the service does while it takes no bytes. */
  async ownWork<T>(work: () => Promise<T>): Promise<T> {
    this.ownSince = this.clock.monotonic();
    try {
      return await work();
    } finally {
      this.ownMs += this.clock.monotonic() - this.ownSince;
      this.ownSince = null;
    }
  }

  end(): void {
    for (const timer of this.timers) timer.cancel();
    this.timers.length = 0;
    this.stream.off('data', this.count);
  }

  private readonly count = (chunk: Buffer): void => {
    this.bytes += chunk.length;
  };

  private lookLater(): void {
    this.timers[1] = this.clock.after(lookEveryMs, () => {
      this.look();
    });
  }

  private look(): void {
    const now = this.clock.monotonic();
    const own = this.ownMs + (this.ownSince === null ? 0 : now - this.ownSince);
    const seconds = Math.max(0, now - this.looked - own) / 1000;
    if (seconds * 2000 >= lookEveryMs && this.bytes < seconds * bytesPerSecondMin) {
      this.refuse(tooSlow('the upload is below 16 KiB a second'));
      return;
    }
    if (this.ownSince !== null) this.ownSince = now;
    [this.bytes, this.ownMs, this.looked] = [0, 0, now];
    this.lookLater();
  }
}

function tooSlow(message: string): Refusal {
  return new Refusal('request_timeout', {}, message);
}
