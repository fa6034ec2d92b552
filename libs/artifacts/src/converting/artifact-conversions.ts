import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, FairQueue, messageOf } from '@aos/kernel';
import { DueTimers } from '@aos/platform';
import { conversionHandler } from '../artifact/artifact.projection.js';
import { ArtifactConversion } from './artifact-conversion.js';

/** Files that one process converts at once; what finds no room waits for its timer (rule TE83). */
const runningMax = 2;
const waitingMax = 1_000;
const waitingOfOneMax = 200;
/** One that failed is not begun again before. */
const pauseMs = 5_000;

interface Waiting {
  orgId: string;
  artifactId: string;
}

/** Files whose text is taken out in this process, the organizations in turns. */
@Injectable()
export class ArtifactConversions implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('artifacts');
  private readonly queue = new FairQueue<Waiting>(waitingOfOneMax, waitingMax);
  /** Those that wait, run, or failed a moment ago. */
  private readonly taken = new Set<string>();
  private readonly running = new Set<Promise<void>>();
  private isClosed = false;

  constructor(
    private readonly conversion: ArtifactConversion,
    private readonly timers: DueTimers,
    private readonly clock: Clock,
  ) {}

  /** Takes up what another process left. */
  onModuleInit(): void {
    this.timers.register(conversionHandler, (details) => {
      this.offer(String(details.org_id), String(details.artifact_id));
      return Promise.resolve();
    });
  }

  /** Takes a file up, once at a time. */
  offer(orgId: string, artifactId: string): void {
    if (this.isClosed || this.taken.has(artifactId) || !this.queue.hasRoom(orgId)) return;
    this.taken.add(artifactId);
    this.queue.push(orgId, { orgId, artifactId });
    this.next();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    this.queue.clear();
    await Promise.all(this.running);
  }

  private next(): void {
    while (this.running.size < runningMax) {
      const waiting = this.queue.shift(() => true);
      if (!waiting) return;
      const run = this.run(waiting).finally(() => {
        this.running.delete(run);
        this.next();
      });
      this.running.add(run);
    }
  }

  private async run({ orgId, artifactId }: Waiting): Promise<void> {
    try {
      await this.conversion.run(orgId, artifactId);
      this.taken.delete(artifactId);
    } catch (error) {
      this.log.warn(`${artifactId}: its conversion is left to its timer: ${messageOf(error)}`);
      this.clock.after(pauseMs, () => this.taken.delete(artifactId));
    }
  }
}
