import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { ReadStore, collectionOf, notFound, type Identity } from '@aos/kernel';
import { CursorSeal, Projectors, listScope, visibleList } from '@aos/platform';
import { ProviderDirectory } from '../provider/provider-directory.js';
import { providersProjection } from '../provider/provider.projection.js';
import { providerSummaryWire, providerWire } from '../provider/provider.wire.js';

@Injectable()
export class ProviderQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: ProviderDirectory,
    private readonly projectors: Projectors,
    private readonly seal: CursorSeal,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, name: string): Promise<Reply<'getProvider'>> {
    const provider = await this.directory.find(who.orgId, name);
    if (!provider) throw notFound('provider');
    return providerWire(provider);
  }

  /** By name. */
  async list(who: Identity, filter: QueryOf<'listProviders'>): Promise<Reply<'listProviders'>> {
    const collection = collectionOf(providersProjection);
    this.projectors.requireCaughtUp(collection);
    const scope = listScope(who.orgId, 'providers', { ...filter });
    return visibleList(
      this.readStore,
      { collection, scope: [who.orgId], where: [], orderBy: { index: 'name', direction: 'asc' } },
      { ...filter, seal: this.seal, scope },
      async ({ doc }) => {
        const found = await this.directory.find(who.orgId, String(doc.provider));
        return found && providerSummaryWire(found.provider);
      },
    );
  }
}
