import type { Clock, ReadStore } from '@aos/kernel';
import type { OrderedProjection, OrderedRows } from '@aos/platform';
import { recordedPosition } from '../publishing/envelope.wire.js';
import type { PublicEvents } from '../publishing/public-events.js';
import { cutCollection, feedCollection, organizationsCollection, typesCollection } from './feed.projection.js';
import { FeedRetention } from './feed-retention.js';
import { FeedRows, positionOfCut } from './feed-rows.js';

/** The feed as a check builds it again. Where it was cut is retention's to say and is not compared. */
export class OrderedFeed implements OrderedProjection {
  readonly name = feedCollection;
  readonly collections = [feedCollection, cutCollection, organizationsCollection, typesCollection];

  /** `live` holds the live rows. */
  constructor(
    private readonly live: ReadStore,
    private readonly events: PublicEvents,
    private readonly clock: Clock,
    private readonly retentionDays: number,
    readonly batchMax: number,
  ) {}

  get prefixes(): readonly string[] {
    return this.events.prefixes;
  }

  begin(readStore: ReadStore): OrderedRows {
    const { events, live: liveRows } = this;
    const retention = new FeedRetention(readStore, this.clock, this.retentionDays);
    const feed = new FeedRows(readStore, retention);
    return {
      async of(batch) {
        const { rows, heads } = await feed.of(await events.all(batch));
        feed.moved(heads);
        return rows;
      },
      async counts(collection, { scope, key, live, rebuilt }, to) {
        if (collection !== feedCollection) return collection !== cutCollection;
        const receivedAt = (rebuilt ?? live)?.received_at;
        if (recordedPosition(key) > to || (typeof receivedAt === 'string' && receivedAt < retention.keptFrom))
          return false;
        return live !== null || key > (await positionOfCut(liveRows, scope)); // cut when less was kept than now
      },
    };
  }
}
