import { EventStore, RevisionConflict, StoreRefused } from '@aos/kernel';
import type {
  Appended,
  EventSubscription,
  ExpectedRevision,
  NewEvent,
  Position,
  ReadOptions,
  RecordedEvent,
  SubscribeOptions,
} from '@aos/kernel';
import { randomUUID } from 'node:crypto';
import { Appender } from './appender.js';
import { isDenied } from './client.js';
import { Feed } from './feed.js';
import { JoiningFeed } from './joining-feed.js';
import { LeaderConnections } from './leader-connections.js';
import { logPosition, positionText } from './position.js';
import { followRequest } from './read-messages.js';
import { Reader } from './reader.js';
import { checkSizes, readRecord } from './recorded.js';
import { SharedFeed } from './shared-feed.js';
import { settingsOf, within } from './settings.js';
import type { EventStoreDbOptions, Settings } from './settings.js';
import { SupervisedSubscription } from './subscription.js';
import type { FeedSource } from './subscription.js';

const readMax = 4096;
const headsMax = 1000;
/** One connection carries 100 calls; more subscriptions would wait for ever without a word. */
const subscriptionsMax = 64;
const metadataTriesMax = 5;

/**
 * The log in EventStoreDB (23.10 or later) or KurrentDB.
 *
 * Beyond the port: a process may open several of these for one address and they share the one appending client; a
 * second address is refused.
 */
export class EventStoreDbEventStore extends EventStore {
  override readonly soleWriter = false;
  private readonly settings: Settings;
  private readonly appender: Appender;
  private readonly reader: Reader;
  private readonly subscriptions = new Set<EventSubscription>();
  private readonly anchors = new Set<Promise<unknown>>();
  private readonly following: LeaderConnections;
  private readonly shared = new SharedFeed((prefixes, from) => this.openFeed(prefixes, from));
  private closing: Promise<void> | undefined;

  constructor(options: EventStoreDbOptions) {
    super();
    this.settings = settingsOf(options);
    this.appender = Appender.acquire(this.settings);
    this.reader = new Reader(this.settings);
    this.following = new LeaderConnections('subscribe', this.settings);
  }

  override async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    checkSizes(stream, events);
    if (this.anchors.size > 0) await this.anchored();
    const { nextExpectedRevision, position } = await this.appender.append(stream, expected, events);
    const revision = Number(nextExpectedRevision);
    return { revision, position: position ? positionText(position) : await this.positionAt(stream, revision) };
  }

  override async read(stream: string, { from, backwards = false, limit }: ReadOptions): Promise<RecordedEvent[]> {
    if (!Number.isInteger(limit) || limit < 1 || limit > readMax)
      throw new RangeError(`a read of ${limit} events; 1 to ${readMax} are allowed`);
    const start = from ?? (backwards ? 'end' : 'start');
    const found = await this.reader.stream(stream, { from: start, backwards, limit });
    return (found ?? []).map(readRecord);
  }

  override async heads(streams: readonly string[]): Promise<(number | 'none')[]> {
    if (streams.length > headsMax) throw new RangeError(`heads of ${streams.length} streams; ${headsMax} are allowed`);
    return Promise.all(
      streams.map(async (stream) => {
        const found = await this.reader.stream(stream, { from: 'end', backwards: true, limit: 1 });
        return found?.[0]?.revision ?? 'none';
      }),
    );
  }

  override subscribe(
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    if (this.closing) throw new Error('the event store is closed');
    if (options.prefixes.length === 0) throw new Error(`subscription ${options.name} names no prefix`);
    if (this.subscriptions.size >= subscriptionsMax) throw new Error(`more than ${subscriptionsMax} subscriptions`);
    const subscription = new SupervisedSubscription(
      this.source(options),
      options,
      handler,
      this.settings.resumePauseMaxMs,
      this.startOf(options),
    );
    this.subscriptions.add(subscription);
    const gone = () => {
      this.subscriptions.delete(subscription);
      this.shared.forget(options.prefixes);
    };
    subscription.ended.then(gone, gone);
    return subscription;
  }

  override async end(): Promise<Position> {
    const last = await this.reader.last();
    return last ? positionText(last) : '';
  }

  override async truncate(stream: string, before: number): Promise<void> {
    const [head] = await this.heads([stream]);
    if (head === undefined || head === 'none') return;
    const bound = Math.min(before, head); // the last event stays: without it the server does not tell the head
    for (let tries = 1; bound > 0; tries += 1) {
      const found = await this.reader.stream(`$$${stream}`, { from: 'end', backwards: true, limit: 1 });
      const current = found?.[0];
      const metadata = current?.isJson ? (JSON.parse(current.data.toString('utf8')) as NewEvent['data']) : {};
      if (typeof metadata['$tb'] === 'number' && metadata['$tb'] >= bound) return;
      const event: NewEvent = { id: randomUUID(), type: '$metadata', data: { ...metadata, $tb: bound }, meta: {} };
      try {
        await this.appender.append(`$$${stream}`, current?.revision ?? 'none', [event]);
        return;
      } catch (error) {
        if (!(error instanceof RevisionConflict) || tries === metadataTriesMax) throw error;
      }
    }
  }

  /**
   * For a start: resolves when the store answers and lets this process read what it needs. Rejects with
   * `StoreUnavailable` or `StoreRefused`.
   */
  async check(): Promise<void> {
    await this.heads(['readiness-probe']).catch((error: unknown) => {
      throw isDenied(error) ? new StoreRefused('the account is not let in', { cause: error }) : error;
    });
    await this.end().catch((error: unknown) => {
      throw isDenied(error) ? new StoreRefused('the account may not read $all', { cause: error }) : error;
    });
  }

  override close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  /** For an append that the server answered without a position. */
  private async positionAt(stream: string, revision: number): Promise<Position> {
    const [event] = await this.read(stream, { from: revision, limit: 1 });
    if (event?.revision !== revision) throw new Error(`the event store gave no position for an append to ${stream}`);
    return event.position;
  }

  private async shutDown(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    this.following.close();
    await Promise.all([this.reader.close(), this.appender.release()]);
  }

  /** A subscription from the end that is not anchored yet must not miss what this process appends after it. */
  private async anchored(): Promise<void> {
    await within(this.settings.attemptMs, Promise.allSettled(this.anchors), () => new Error('not anchored')).catch(
      () => undefined,
    );
  }

  private startOf({ from }: SubscribeOptions): Promise<Position> {
    if (from === 'start' || from === '') return Promise.resolve('');
    if (from !== 'end') return Promise.resolve(positionText(logPosition(from)));
    const anchor = this.end();
    this.anchors.add(anchor);
    const known = () => {
      this.anchors.delete(anchor);
    };
    anchor.then(known, known);
    return anchor;
  }

  private source({ prefixes }: SubscribeOptions): FeedSource {
    this.shared.expect(prefixes);
    return {
      end: () => this.end(),
      open: (from) => new JoiningFeed(this.shared, (wanted, behind) => this.openFeed(wanted, behind), prefixes, from),
    };
  }

  private openFeed(prefixes: readonly string[], from: Position): Feed {
    return new Feed(this.following, followRequest(prefixes, from), this.settings.attemptMs * 2);
  }
}
