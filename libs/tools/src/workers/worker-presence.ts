import { Injectable } from '@nestjs/common';
import { Clock, Ids, LiveBus } from '@aos/kernel';
import { presenceKey } from './channels.js';
import { takes, type Wanted } from './capability.decide.js';
import type { Capability } from './frames.decide.js';

/** What a list shows of a worker beside what it takes. Times are RFC 3339. */
export type WorkerFacts = {
  name: string | null;
  version: string | null;
  principalId: string;
  concurrencyLimit: number | null;
  jobs: number;
  connectedAt: string;
};

/** A worker that takes jobs. A process of an older release leaves its facts out. */
export type OnlineWorker = Pick<Capability, 'actionNames' | 'models'> & { instanceId: string; facts?: WorkerFacts };
/** A worker with an open connection. */
export type ConnectedWorker = OnlineWorker & { facts: WorkerFacts; isDraining: boolean };

/** Older releases take all of `workers` to take jobs: those that drain stand beside them. */
type Word = { until: number; workers: OnlineWorker[]; draining?: OnlineWorker[] };

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
  async tell(orgId: string, all: readonly ConnectedWorker[]): Promise<void> {
    const word: Required<Word> = { until: this.clock.now() + believedMs, workers: [], draining: [] };
    for (const { isDraining, ...worker } of all.slice(0, toldMax))
      (isDraining ? word.draining : word.workers).push(worker);
    await this.bus.setPreview(presenceKey(orgId), this.field, JSON.stringify(word), believedMs);
  }

  /** Every worker that takes jobs, in any process. Rejects with `StoreUnavailable`. */
  async online(orgId: string): Promise<OnlineWorker[]> {
    return (await this.words(orgId)).flatMap(({ workers }) => workers);
  }

  /**
   * Every worker with an open connection, in any process, by the time it connected; without those of a process of an
   * older release. Rejects with `StoreUnavailable`.
   */
  async connected(orgId: string): Promise<ConnectedWorker[]> {
    const shown = (all: readonly OnlineWorker[], isDraining: boolean) =>
      all.flatMap(({ facts, ...worker }) => (facts ? [{ ...worker, facts, isDraining }] : []));
    const rank = ({ facts, instanceId }: ConnectedWorker) => `${facts.connectedAt} ${instanceId}`;
    return (await this.words(orgId))
      .flatMap(({ workers, draining = [] }) => [...shown(workers, false), ...shown(draining, true)])
      .sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
  }

  async offers(orgId: string, wanted: Wanted): Promise<boolean> {
    return (await this.online(orgId)).some((worker) => takes(worker, wanted));
  }

  private async words(orgId: string): Promise<Word[]> {
    const now = this.clock.now();
    const texts = [...(await this.bus.preview(presenceKey(orgId))).values()];
    return texts.map((text) => JSON.parse(text) as Word).filter(({ until }) => until > now);
  }
}
