import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { ReadStore, collectionOf, notFound, type Identity } from '@aos/kernel';
import {
  CursorSeal,
  Projectors,
  cursorFromText,
  cursorToText,
  listScope,
  pageLimitDefault,
  positionOf,
  visiblePage,
} from '@aos/platform';
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
    const { limit = pageLimitDefault } = filter;
    const collection = collectionOf(providersProjection);
    this.projectors.requireCaughtUp(collection);
    const scope = listScope(who.orgId, 'providers', { ...filter });
    const position = positionOf(this.seal, scope, filter.cursor);
    const { items, next } = await visiblePage(
      this.readStore,
      { collection, scope: [who.orgId], where: [], orderBy: { index: 'name', direction: 'asc' } },
      { limit, after: position === null ? null : cursorFromText(position) },
      async ({ doc }) => {
        const found = await this.directory.find(who.orgId, String(doc.provider));
        return found && providerSummaryWire(found.provider);
      },
    );
    return { items, has_more: next !== null, ...(next && { next_cursor: this.seal.seal(cursorToText(next), scope) }) };
  }
}
