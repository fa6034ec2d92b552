import { Injectable, Logger } from '@nestjs/common';
import { LiveBus, StoreUnavailable, messageOf } from '@aos/kernel';
import { previewTtlMs } from '@aos/sessions/published';
import { progressKey, type JobProgress } from './channels.js';

const saidField = 'said';
const awaitedField = 'awaited';

/**
 * The newest progress of each job that goes on: a worker may say it while no process waits for the outcome, and the
 * one that waits later shows it (rule TE80). It lies on the bus, at most 4 KiB of a job.
 */
@Injectable()
export class KeptProgress {
  private readonly log = new Logger('workers');

  constructor(private readonly bus: LiveBus) {}

  /** As a worker said it. */
  keep(jobPart: string, said: JobProgress): void {
    this.put(jobPart, saidField, JSON.stringify(said));
  }

  /** It lives on while a process waits. Another field says so: a newer word of the worker is not overwritten. */
  prolong(jobPart: string): void {
    this.put(jobPart, awaitedField, '');
  }

  /** Null when none was said, and while the bus does not answer. */
  async find(jobPart: string): Promise<JobProgress | null> {
    try {
      const text = (await this.bus.preview(progressKey(jobPart))).get(saidField);
      return text === undefined ? null : (JSON.parse(text) as JobProgress);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return null;
    }
  }

  /** The job is over. */
  drop(jobPart: string): void {
    this.bus.dropPreview(progressKey(jobPart)).catch(this.onTrouble); // else it ends by itself
  }

  private put(jobPart: string, field: string, value: string): void {
    this.bus.setPreview(progressKey(jobPart), field, value, previewTtlMs).catch(this.onTrouble);
  }

  private readonly onTrouble = (error: unknown): void => {
    if (!(error instanceof StoreUnavailable)) this.log.warn(`progress is not kept: ${messageOf(error)}`);
  };
}
