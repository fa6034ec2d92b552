import { FairQueue } from '@aos/kernel';
import { waitingMax, waitingPerOrganizationMax } from '../../libs/platform/src/http/server/request-turns.js';
import { callsMax, processorMs } from './measured-costs.js';
import type { ModelledStore } from './modelled-store.js';
import type { VirtualTime } from './virtual-time.js';

interface Step {
  ms: number;
  then: () => void;
}

/** Bounds of the adapter's queues (`Appender`, `Reader`): reads do not say whose they are. */
const appendsWaitingMax = 10_000;
const loadsWaitingMax = 20_000;
const allLoads = '';

/**
 * One process with one processor: in a turn of its loop it goes on with all that was answered, and begins one request
 * of each organization that has some, as `RequestTurns` does. Appends and loads wait in the adapter's queues.
 */
export class ModelledReplica {
  isAlive = true;
  /** The most loads that were under way at once. */
  loadsMost = 0;
  private readonly known = new Set<string>();
  private readonly loading = new Map<string, (() => void)[]>();
  private ready: Step[] = [];
  private readonly entering = new FairQueue<Step>(waitingPerOrganizationMax, waitingMax);
  private readonly appends = new FairQueue<() => void>(appendsWaitingMax / 2, appendsWaitingMax);
  private readonly loads = new FairQueue<() => void>(loadsWaitingMax, loadsWaitingMax);
  private isTurning = false;
  private appending = 0;
  private reading = 0;

  constructor(
    readonly address: string,
    private readonly time: VirtualTime,
    private readonly store: ModelledStore,
    /** A full queue did not take a call of the organization. */
    private readonly refused: (orgId: string) => void,
  ) {}

  kill(): void {
    this.isAlive = false;
    this.ready = [];
  }

  /** It has the session in memory. */
  knows(session: string): void {
    this.known.add(session);
  }

  /** A request comes in. False: it was refused. */
  enter(orgId: string, ms: number, then: () => void): boolean {
    if (!this.entering.hasRoom(orgId)) {
      this.refused(orgId);
      return false;
    }
    this.entering.push(orgId, { ms, then });
    this.wake();
    return true;
  }

  /** Something that was waited for takes so much of the processor. */
  goOn(ms: number, then: () => void): void {
    if (!this.isAlive) return;
    this.ready.push({ ms, then });
    this.wake();
  }

  append(orgId: string, then: () => void): void {
    const begin = () => {
      this.store.append(() => {
        this.appending -= 1;
        this.beginAppends();
        then();
      });
    };
    if (!this.appends.hasRoom(orgId)) this.refused(orgId);
    else {
      this.appends.push(orgId, begin);
      this.beginAppends();
    }
  }

  /** The session in memory: read and folded where it is not known here, once for all who wait. */
  load(session: string, then: () => void): void {
    if (this.known.has(session)) {
      then();
      return;
    }
    const waiting = this.loading.get(session);
    if (waiting) {
      waiting.push(then);
      return;
    }
    this.loading.set(session, [then]);
    this.loads.push(allLoads, () => {
      this.store.read(() => {
        this.reading -= 1;
        this.beginLoads();
        this.goOn(processorMs.load, () => {
          this.known.add(session);
          const all = this.loading.get(session) ?? [];
          this.loading.delete(session);
          for (const each of all) each();
        });
      });
    });
    this.beginLoads();
  }

  private beginAppends(): void {
    while (this.isAlive && this.appending < callsMax.appends) {
      const begin = this.appends.shift(() => true);
      if (!begin) return;
      this.appending += 1;
      begin();
    }
  }

  private beginLoads(): void {
    while (this.isAlive && this.reading < callsMax.loads) {
      const begin = this.loads.shift(() => true);
      if (!begin) return;
      this.reading += 1;
      this.loadsMost = Math.max(this.loadsMost, this.reading);
      begin();
    }
  }

  private wake(): void {
    if (this.isTurning) return;
    this.isTurning = true;
    this.turn();
  }

  private turn(): void {
    if (!this.isAlive) return;
    const steps = this.ready;
    this.ready = [];
    const begun = new Set<string>();
    const next = () => this.entering.shift((orgId) => !begun.has(orgId) && begun.add(orgId) !== undefined);
    for (let step = next(); step; step = next()) steps.push(step);
    if (steps.length === 0) {
      this.isTurning = false;
      return;
    }
    let ms = 0;
    for (const { ms: taken, then } of steps) {
      ms += taken;
      this.time.after(ms, () => {
        if (this.isAlive) then();
      });
    }
    this.time.after(ms, () => {
      this.turn();
    });
  }
}
