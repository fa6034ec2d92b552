import { Injectable, Optional } from '@nestjs/common';
import { Clock, type ReadStore } from '@aos/kernel';
import { Rebuilds, type OrderedProjection, type OrderedRows } from '@aos/platform';
import { changeRows, changedStreams, changesCollection, feedsCollection } from './memory-changes.projection.js';
import { MemoryChangesRetention } from './memory-changes-retention.js';

/**
 * Memory changes as a check builds them again. An agent's feed stays named when its changes have left: it is compared
 * while it holds any.
 */
@Injectable()
export class OrderedMemoryChanges implements OrderedProjection {
  readonly name = changesCollection;
  readonly prefixes = changedStreams;
  readonly collections = [changesCollection, feedsCollection];

  constructor(
    private readonly clock: Clock,
    @Optional() rebuilds?: Rebuilds,
  ) {
    rebuilds?.register(this);
  }

  begin(readStore: ReadStore): OrderedRows {
    const retention = new MemoryChangesRetention(readStore, this.clock);
    return {
      of: (events) => Promise.resolve(changeRows(events, retention.keptFrom)),
      async counts(collection, { key, live, rebuilt }, to) {
        if (collection === feedsCollection) {
          const where = [{ index: 'at', gte: retention.keptFrom }];
          return (
            rebuilt !== null &&
            (await readStore.count(
              { collection: changesCollection, scope: [String(rebuilt.org_id), String(rebuilt.agent_id)], where },
              1,
            )) > 0
          );
        }
        const createdAt = (rebuilt ?? live)?.created_at;
        return key <= to && !(typeof createdAt === 'string' && createdAt < retention.keptFrom);
      },
    };
  }
}
