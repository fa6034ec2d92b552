import { Injectable } from '@nestjs/common';
import { GenerationalCache, ReadStore, StoreUnavailable, collectionOf } from '@aos/kernel';
import { candidatesMax } from '../connection/connection.limits.js';
import { connectionsProjection } from '../connection/connection.projection.js';

/** Providers of organizations whose connections a process remembers. */
const rememberedMax = 10_000;

export interface FoundConnections {
  ids: readonly string[];
  /** The read store does not answer: these it gave last (rule TE133). None is made meanwhile. */
  isRemembered: boolean;
}

/** Which connections of a provider there are. Rows say no more: each is read fresh from its stream. */
@Injectable()
export class KnownConnections {
  private readonly last = new GenerationalCache<readonly string[]>(rememberedMax);

  constructor(private readonly readStore: ReadStore) {}

  /** Throws `StoreUnavailable` where this process has not met the provider yet. */
  async of(orgId: string, provider: string): Promise<FoundConnections> {
    const name = `${orgId} ${provider}`;
    try {
      const { rows } = await this.readStore.query({
        collection: collectionOf(connectionsProjection),
        scope: [orgId],
        where: [{ index: 'provider', eq: provider }],
        limit: candidatesMax,
      });
      const ids = rows.map(({ key }) => key);
      this.last.set(name, ids);
      return { ids, isRemembered: false };
    } catch (error) {
      const ids = error instanceof StoreUnavailable ? this.last.get(name) : undefined;
      if (!ids) throw error;
      return { ids, isRemembered: true };
    }
  }
}
