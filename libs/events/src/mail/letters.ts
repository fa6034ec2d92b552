import { Logger } from '@nestjs/common';
import { messageOf, type Clock } from '@aos/kernel';
import { ReadingProcesses, type ReadingFailure } from '@aos/platform';
import * as limits from './letter.limits.js';
import { readLetter, type Letter } from './read-letter.js';

/** A failure that is passing: the mail may be sent again. */
export type LetterReading = { letter: Letter } | ReadingFailure;

/** What the process of a mail is given. */
export interface LetterWork {
  readonly bytes: Uint8Array;
}

const waiting = { count: limits.waitingMax, bytes: limits.waitingBytesMax };
const bounds = {
  processes: limits.readingMax,
  startMs: limits.startMs,
  readingMs: limits.readingMs,
  megabytes: limits.processMegabytes,
  waiting,
  waitingPerOrganization: waiting,
};
/** A mail can be for several organizations. */
const noOrganization = '';

/**
 * Reads mails in their form of MIME. What takes long for its size (a million parts, lines or headers) holds up nothing
 * else: a mail that is not small is read in a process of its own, with 256 MiB and 20 seconds.
 */
export class Letters {
  private readonly log = new Logger('smtp');
  private readonly processes: ReadingProcesses<LetterWork, { letter: Letter }>;

  constructor(clock: Clock) {
    this.processes = new ReadingProcesses(clock, {
      things: 'mails',
      bounds,
      code: { caller: __filename, file: 'read-large-letter' },
      onTrouble: (_work, message) => {
        this.log.warn(message);
      },
    });
  }

  /** Gives a failure for every fault of the mail; throws nothing. */
  async read(bytes: Uint8Array): Promise<LetterReading> {
    if (bytes.length > limits.smallBytesMax) return this.processes.read(noOrganization, { bytes });
    return readLetter(bytes).then(
      (letter) => ({ letter }),
      (error: unknown) => ({ failure: messageOf(error) }),
    );
  }

  async close(): Promise<void> {
    await this.processes.close();
  }
}
