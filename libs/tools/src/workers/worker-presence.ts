import { Injectable } from '@nestjs/common';
import { Clock, Ids, LiveBus } from '@aos/kernel';
import { presenceKey } from './channels.js';
import { takes, type Wanted } from './capability.decide.js';
import type { Capability } from './frames.decide.js';

export interface OnlineWorker extends Pick<Capability, 'actionNames' | 'models'> {
  instanceId: string;
}

interface Word {
  until: number;
  workers: OnlineWorker[];
}

/** A process says anew who is connected to it this often, and is believed for so long. */
export const presenceEveryMs = 10_000;
const believedMs = 30_000;
/** Workers of an organization that one process speaks of. */
const toldMax = 500;

/** Who is connected to which process: a hint, kept on the live bus only. */
@Injectable()
export class WorkerPresence {
  private readonly field: string;

  constructor(
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    ids: Ids,
  ) {
    this.field = ids.ulid();
  }

  /** This process has these workers of the organization. Rejects with `StoreUnavailable`. */
  async tell(orgId: string, workers: readonly OnlineWorker[]): Promise<void> {
    const word: Word = { until: this.clock.now() + believedMs, workers: workers.slice(0, toldMax) };
    await this.bus.setPreview(presenceKey(orgId), this.field, JSON.stringify(word), believedMs);
  }

  /** Every worker that is connected somewhere. Rejects with `StoreUnavailable`. */
  async online(orgId: string): Promise<OnlineWorker[]> {
    const now = this.clock.now();
    const words = [...(await this.bus.preview(presenceKey(orgId))).values()].map((text) => JSON.parse(text) as Word);
    return words.filter(({ until }) => until > now).flatMap(({ workers }) => workers);
  }

  async offers(orgId: string, wanted: Wanted): Promise<boolean> {
    return (await this.online(orgId)).some((worker) => takes(worker, wanted));
  }
}
