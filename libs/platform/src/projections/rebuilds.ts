import { Injectable } from '@nestjs/common';
import { Clock, EventStore, ReadStore, invalidArgument, type JsonObject, collectionOf, messageOf } from '@aos/kernel';
import { Decisions } from '../decisions/decisions.js';
import { CatchUp } from './catch-up.js';
import type { Compared } from './comparison.js';
import { OwnProjections } from './own-projections.js';
import { OrderedRebuild, type OrderedProjection } from './ordered-rebuild.js';
import { Rebuild } from './rebuild.js';

/** An ask waits at most this long for its answer; the caller asks again until the work is done. */
const answerWithinMs = 5_000;

interface Running {
  state: 'running' | 'done' | 'failed';
  events: number;
  collections: Compared[];
  error: string | null;
  ended: Promise<void>;
}

export interface VerifyAnswer extends JsonObject {
  state: 'running' | 'done' | 'failed';
  /** Events read so far. */
  events: number;
  error: string | null;
  matches: boolean;
  collections: Compared[];
}

/**
 * Checks the projections of this process against the log, and has one built again.
 *
 * One check at a time: an ask while it runs is about that one; the ask after it ended is told its end, once, and the
 * next begins anew.
 */
@Injectable()
export class Rebuilds {
  private running: Running | null = null;
  private readonly ordered = new Map<string, OrderedProjection>();

  constructor(
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly own: OwnProjections,
    private readonly clock: Clock,
  ) {}

  /**
   * Has the check cover an ordered projection too: by the process whose service runs its projector, before it has
   * started.
   */
  register(projection: OrderedProjection): void {
    this.ordered.set(projection.name, projection);
  }

  /** Starts the check, or asks after the one that runs. */
  async verify(): Promise<VerifyAnswer> {
    this.running ??= this.begin();
    const { running } = this;
    let timer: { cancel(): void } | undefined;
    await Promise.race([
      running.ended,
      new Promise<void>((late) => {
        timer = this.clock.after(answerWithinMs, late);
      }),
    ]);
    timer?.cancel();
    const { state, events, error, collections } = running;
    if (state !== 'running') this.running = null;
    return {
      state,
      events,
      error,
      matches: state === 'done' && collections.every(({ matches }) => matches),
      collections,
    };
  }

  /**
   * Forgets the rows and the checkpoint of one projection, `<name>@<version>`: its projector notices within a second
   * and reads the log from the start; its lists answer 503 meanwhile. Gives `{rebuilding: []}` where no projection has
   * that name.
   */
  async rebuild(name: string): Promise<{ rebuilding: string[] }> {
    if (name === '') throw invalidArgument('projection', 'is missing');
    if (!this.own.all.some((projection) => collectionOf(projection) === name)) return { rebuilding: [] };
    await this.readStore.drop(name, name);
    return { rebuilding: [name] };
  }

  /** Names of the projections that are built here. */
  get names(): string[] {
    return this.own.all.map(collectionOf);
  }

  private begin(): Running {
    const running: Running = { state: 'running', events: 0, collections: [], error: null, ended: Promise.resolve() };
    running.ended = this.checkAll(running).then(
      () => {
        running.state = 'done';
      },
      (error: unknown) => {
        running.error = messageOf(error);
        running.state = 'failed';
      },
    );
    return running;
  }

  private async checkAll(running: Running): Promise<void> {
    const { readStore, decisions, clock } = this;
    const store = new CatchUp(this.store, clock); // all read the log together
    const counted = () => {
      let before = 0;
      return (events: number) => {
        running.events += events - before;
        before = events;
      };
    };
    const checks = await Promise.allSettled([
      new Rebuild({ store, readStore, decisions, clock, onEvents: counted() }, this.own.all).run(),
      ...[...this.ordered.values()].map((projection) =>
        new OrderedRebuild({ store, readStore, clock, onEvents: counted() }, projection).run(),
      ),
    ]);
    for (const check of checks) if (check.status === 'fulfilled') running.collections.push(...check.value);
    for (const check of checks) if (check.status === 'rejected') throw check.reason;
  }
}
