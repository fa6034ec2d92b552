import {
  Leases,
  Members,
  ReadStore,
  RevisionConflict,
  StoreUnavailable,
  EventStore,
  type Appended,
  type EventSubscription,
  type ExpectedRevision,
  type Member,
  type NewEvent,
  type ProjectedBatch,
  type Query,
  type QueryPage,
  type ReadOptions,
  type ReadRow,
  type RecordedEvent,
  type SubscribeOptions,
} from '@aos/kernel';
import { asNextBuild } from './next-build.js';
import type { Shared } from './shared.js';
import type { Place } from './scheduler.js';

/** One replica's way to the log: every call waits for its turn, may be slow, lost, or carried out without an answer. */
export class GatedEventStore extends EventStore {
  override readonly soleWriter: boolean;

  constructor(
    private readonly shared: Shared,
    private readonly place: Place,
  ) {
    super();
    this.soleWriter = shared.soleWriter;
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    const { faults, random } = this.shared;
    const write = () => this.write(stream, expected, events);
    const late = () => {
      write().catch(forgetConflict);
    };
    await this.shared.scheduler.turn(this.place, this.shared.delay(), late);
    if (random.chance(faults.appendLost)) {
      if (random.chance(0.5)) this.shared.later(late); // the request is still under way when the adapter gives up
      throw new StoreUnavailable('the log did not answer');
    }
    const appended = await write();
    if (random.chance(faults.appendRepeated)) {
      await this.shared.scheduler.turn(this.place, this.shared.delay(), late);
      const again = await write(); // the adapter did not see the answer and repeats identically
      if (again.revision !== appended.revision) throw new Error('a repeated append answered differently');
    }
    await this.shared.scheduler.turn(this.place);
    if (random.chance(faults.answerLost)) throw new StoreUnavailable('the answer was lost');
    return appended;
  }

  override async read(stream: string, options: ReadOptions): Promise<RecordedEvent[]> {
    await this.ask();
    return this.shared.log.read(stream, options);
  }

  override async heads(streams: readonly string[]): Promise<(number | 'none')[]> {
    await this.ask();
    return this.shared.log.heads(streams);
  }

  override subscribe(
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    const { scheduler, random, faults } = this.shared;
    const subscription = this.shared.log.subscribe(
      {
        ...options,
        onCaughtUp: () => {
          this.place.act(() => options.onCaughtUp?.());
        },
      },
      async (events) => {
        await scheduler.turn(this.place, this.shared.delay());
        const some = random.chance(0.3) ? events.slice(0, 1 + random.below(events.length)) : events;
        await handler(some);
        if (some.length < events.length) await handler(events.slice(some.length));
        // the batch is given again
        if (random.chance(faults.deliveredAgain)) throw new StoreUnavailable('the subscription broke off');
      },
    );
    this.shared.onDeath(this.place, () => {
      void subscription.close();
    });
    return subscription;
  }

  override async end(): Promise<string> {
    await this.ask();
    return this.shared.log.end();
  }

  override async truncate(stream: string, before: number): Promise<void> {
    await this.ask();
    await this.shared.log.truncate(stream, before);
  }

  override async close(): Promise<void> {}

  private async ask(): Promise<void> {
    await this.shared.scheduler.turn(this.place);
    if (this.shared.random.chance(this.shared.faults.readFails)) throw new StoreUnavailable('the log did not answer');
  }

  private async write(stream: string, expected: ExpectedRevision, known: readonly NewEvent[]): Promise<Appended> {
    const { log, planted } = this.shared;
    const events = this.place.isNextBuild ? asNextBuild(known) : known;
    let appended: Appended;
    try {
      appended = await log.append(stream, expected, events);
    } catch (error) {
      const isIgnored =
        planted === 'ignored revision' || (planted === 'owner ignores revision' && this.place.owns(stream));
      if (!(error instanceof RevisionConflict) || !isIgnored) throw error;
      appended = await log.append(stream, error.actual, events);
    }
    this.shared.wrote(this.place, stream, appended, events.length);
    return appended;
  }
}

function forgetConflict(error: unknown): void {
  if (!(error instanceof RevisionConflict)) throw error; // somebody else was first: nothing was written
}

/** One replica's way to the read models. */
export class GatedReadStore extends ReadStore {
  constructor(
    private readonly shared: Shared,
    private readonly place: Place,
  ) {
    super();
  }

  override get incarnation(): number {
    return this.shared.readStore.incarnation;
  }

  override async put(rows: readonly ReadRow[]): Promise<void> {
    await this.ask();
    this.shared.saveRows();
    await this.shared.readStore.put(rows);
    await this.answer();
  }

  override async get(collection: string, scope: readonly string[], key: string): ReturnType<ReadStore['get']> {
    await this.ask();
    return this.shared.readStore.get(collection, scope, key);
  }

  override async getMany(
    collection: string,
    scope: readonly string[],
    keys: readonly string[],
  ): ReturnType<ReadStore['getMany']> {
    await this.ask();
    return this.shared.readStore.getMany(collection, scope, keys);
  }

  override async revisions(...asked: Parameters<ReadStore['revisions']>): ReturnType<ReadStore['revisions']> {
    await this.ask();
    return this.shared.readStore.revisions(...asked);
  }

  override async query(query: Query): Promise<QueryPage> {
    await this.ask();
    return this.shared.readStore.query(query);
  }

  override async count(query: Pick<Query, 'collection' | 'scope' | 'where'>, max: number): Promise<number> {
    await this.ask();
    return this.shared.readStore.count(query, max);
  }

  override async checkpoint(projection: string): Promise<string | null> {
    await this.ask();
    return this.shared.readStore.checkpoint(projection);
  }

  override async take(projection: string): Promise<string | null> {
    await this.ask();
    return this.shared.readStore.take(projection);
  }

  override async commit(batch: ProjectedBatch): Promise<void> {
    const { incarnation } = this;
    await this.ask();
    if (incarnation !== this.incarnation)
      throw new StoreUnavailable('the read store is not the one that the commit began with');
    this.shared.saveRows();
    await this.shared.readStore.commit(batch);
    await this.answer();
  }

  override async drop(collection: string, projection: string): Promise<void> {
    await this.ask();
    await this.shared.readStore.drop(collection, projection);
  }

  override dump(collection: string): ReturnType<ReadStore['dump']> {
    return this.shared.readStore.dump(collection);
  }

  override async close(): Promise<void> {}

  private async ask(): Promise<void> {
    await this.shared.scheduler.turn(this.place, this.shared.delay());
    this.fail('the read store did not answer');
  }

  private async answer(): Promise<void> {
    await this.shared.scheduler.turn(this.place);
    this.fail('the answer of the read store was lost');
  }

  private fail(message: string): void {
    if (this.shared.random.chance(this.shared.faults.readStoreFails)) throw new StoreUnavailable(message);
  }
}

/** One replica's way to the leases. */
export class GatedLeases extends Leases {
  constructor(
    private readonly shared: Shared,
    private readonly place: Place,
  ) {
    super();
  }

  override async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
    await this.ask();
    return this.shared.leases.acquire(name, owner, ttlMs);
  }

  override async renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
    await this.ask();
    return this.shared.leases.renew(name, owner, ttlMs);
  }

  override async release(name: string, owner: string): Promise<void> {
    await this.ask();
    await this.shared.leases.release(name, owner);
  }

  override async holders(names: readonly string[]): Promise<(string | null)[]> {
    await this.ask();
    return this.shared.leases.holders(names);
  }

  override async close(): Promise<void> {}

  private async ask(): Promise<void> {
    await this.shared.scheduler.turn(this.place, this.shared.delay());
    if (this.shared.random.chance(this.shared.faults.leasesFail))
      throw new StoreUnavailable('the lease store did not answer');
  }
}

/** One process' way to the members. */
export class GatedMembers extends Members {
  constructor(
    private readonly shared: Shared,
    private readonly place: Place,
  ) {
    super();
  }

  override async renew(...said: Parameters<Members['renew']>): Promise<void> {
    await this.ask();
    await this.shared.members.renew(...said);
  }

  override async leave(group: string, address: string): Promise<void> {
    await this.ask();
    await this.shared.members.leave(group, address);
  }

  override async all(group: string): Promise<Member[]> {
    await this.ask();
    return this.shared.members.all(group);
  }

  override async close(): Promise<void> {}

  private async ask(): Promise<void> {
    await this.shared.scheduler.turn(this.place, this.shared.delay());
    if (this.shared.random.chance(this.shared.faults.leasesFail))
      throw new StoreUnavailable('the members did not answer');
  }
}
