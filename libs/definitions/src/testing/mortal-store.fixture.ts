import {
  EventStore,
  StoreUnavailable,
  type Appended,
  type EventSubscription,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from '@aos/kernel';

/**
 * The log as one process sees it, which dies at an append: before it is written or after. From then on the store
 * answers none of its calls.
 */
export class MortalStore extends EventStore {
  private appends = 0;
  private dead = false;

  constructor(
    private readonly log: EventStore,
    private readonly death: { append: number; written: boolean } | null,
    private readonly seen: () => Promise<void> = async () => undefined,
  ) {
    super();
  }

  get soleWriter(): boolean {
    return false;
  }

  get hasDied(): boolean {
    return this.dead;
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    this.requireAlive();
    const dies = this.death?.append === this.appends;
    this.appends += 1;
    if (dies && !this.death?.written) this.die();
    const appended = await this.log.append(stream, expected, events);
    if (dies) this.die();
    await this.seen();
    return appended;
  }

  override async read(stream: string, options: ReadOptions): Promise<RecordedEvent[]> {
    this.requireAlive();
    return this.log.read(stream, options);
  }

  override async heads(streams: readonly string[]): Promise<(number | 'none')[]> {
    return this.log.heads(streams);
  }

  override subscribe(
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    return this.log.subscribe(options, handler);
  }

  override async end(): Promise<Position> {
    return this.log.end();
  }

  override async truncate(stream: string, before: number): Promise<void> {
    await this.log.truncate(stream, before);
  }

  override async close(): Promise<void> {
    await Promise.resolve();
  }

  private die(): never {
    this.dead = true;
    throw new StoreUnavailable('this process died');
  }

  private requireAlive(): void {
    if (this.dead) throw new StoreUnavailable('this process died');
  }
}
