import { Injectable } from '@nestjs/common';
import { GenerationalCache, ReadStore, StoreUnavailable, collectionOf } from '@aos/kernel';
import type { ConnectionRecord } from '../connection/connection.events.js';
import { connectionsPerOrganizationMax } from '../connection/connection.limits.js';
import { connectionsProjection, ownerIndex } from '../connection/connection.projection.js';

/** Owners at providers of organizations whose connections a process remembers. */
const rememberedMax = 10_000;

/** As a connection has it. */
export type Owner = Pick<ConnectionRecord, 'owner'>['owner'];

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

  /**
   * Takes    whose connections are asked for; null: all owners'.
   * Gives    those of the owners that this process has met where the read store does not answer; throws
   *          `StoreUnavailable` where it has met none of them.
   */
  async of(orgId: string, provider: string, owners: readonly Owner[] | null): Promise<FoundConnections> {
    if (owners === null) return this.ofOwner(orgId, provider, null);
    const tries = await Promise.allSettled(owners.map((owner) => this.ofOwner(orgId, provider, owner)));
    const found = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = tries.find((each) => each.status === 'rejected');
    if (failed && (found.length === 0 || !(failed.reason instanceof StoreUnavailable))) throw failed.reason;
    return {
      ids: found.flatMap(({ ids }) => ids),
      isRemembered: failed !== undefined || found.some(({ isRemembered }) => isRemembered),
    };
  }

  private async ofOwner(orgId: string, provider: string, owner: Owner | null): Promise<FoundConnections> {
    const name = `${orgId} ${provider} ${owner ? ownerIndex(owner) : '*'}`;
    try {
      const { rows } = await this.readStore.query({
        collection: collectionOf(connectionsProjection),
        scope: [orgId],
        where: [{ index: 'provider', eq: provider }, ...(owner ? [{ index: 'owner', eq: ownerIndex(owner) }] : [])],
        limit: connectionsPerOrganizationMax,
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
