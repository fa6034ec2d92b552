import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadStore, StoreUnavailable, idPart, looksLikeId, notFound } from '@aos/kernel';
import { visiblePage } from '@aos/platform';
import type { ApiKeyRecord } from '../apikey/apikey.events.js';
import { apiKeyKind } from '../apikey/apikey.state.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { storedOnly, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import { keyUseCollection, keysCollection } from '../apikey/apikey.projection.js';
import { apiKeyView, type ApiKeyView } from '../apikey/apikey.wire.js';

export class ListKeys extends Query<PageGiven<ApiKeyView>> {
  constructor(
    readonly orgId: string,
    readonly page: PageAsked,
  ) {
    super();
  }
}

export class GetKey extends Query<ApiKeyView> {
  constructor(
    readonly orgId: string,
    readonly keyId: string,
  ) {
    super();
  }
}

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(private readonly readStore: ReadStore) {}

  /** Keys that are not revoked, by creation. */
  async execute({ orgId, page }: ListKeys): Promise<PageGiven<ApiKeyView>> {
    const query = {
      collection: keysCollection,
      scope: [orgId],
      orderBy: { index: 'created', direction: 'asc' as const },
    };
    const { items, next } = await storedOnly(
      (asked) => visiblePage(this.readStore, query, asked, async ({ doc }) => doc as ApiKeyRecord),
      page,
    );
    const uses = await this.readStore.getMany(
      keyUseCollection,
      [orgId],
      items.map(({ id }) => id),
    );
    return { items: items.map((key) => apiKeyView(key, lastUse(uses.get(key.id)))), next };
  }
}

@QueryHandler(GetKey)
export class GetKeyHandler implements IQueryHandler<GetKey> {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly readStore: ReadStore,
  ) {}

  async execute({ orgId, keyId }: GetKey): Promise<ApiKeyView> {
    if (!looksLikeId('cred', keyId)) throw notFound('API key');
    const { key, revoked } = (await this.decisions.load(apiKeyKind, idPart(keyId))).state;
    if (!key) this.decisions.forget(apiKeyKind, idPart(keyId));
    if (!key || revoked || key.org_id !== orgId) throw notFound('API key');
    return apiKeyView(key, await this.lastUse(orgId, keyId));
  }

  private async lastUse(orgId: string, keyId: string): Promise<string | null> {
    try {
      return lastUse(await this.readStore.get(keyUseCollection, [orgId], keyId));
    } catch (error) {
      if (error instanceof StoreUnavailable) return null; // best effort: the answer then lacks the last use
      throw error;
    }
  }
}

function lastUse(row: { doc: { last_used_at?: unknown } } | null | undefined): string | null {
  return typeof row?.doc.last_used_at === 'string' ? row.doc.last_used_at : null;
}
