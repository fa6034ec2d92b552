import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, StoreUnavailable, idPart, looksLikeId, notFound, type Identity } from '@aos/kernel';
import { CursorSeal, listScope, visiblePage } from '@aos/platform';
import { apiKeyKind } from '../apikey/apikey.state.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { pageAnswer, pageAsked } from '../listing/answer.js';
import { storedOnly, type PageAsked, type PageGiven } from '../listing/derived-first.js';
import { keyRows, keyUseRows } from '../apikey/apikey.projection.js';
import { apiKeyView } from '../apikey/apikey.wire.js';

@Injectable()
export class KeyQueries {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly readStore: ReadStore,
    private readonly seal: CursorSeal,
  ) {}

  async list({ orgId }: Identity, query: QueryOf<'listAPIKeys'>): Promise<Reply<'listAPIKeys'>> {
    const scope = listScope(orgId, 'api-keys');
    return pageAnswer(this.seal, scope, await this.page(orgId, pageAsked(this.seal, scope, query)));
  }

  /** Keys that are not revoked, by creation. */
  private async page(orgId: string, page: PageAsked): Promise<PageGiven<Schema<'APIKey'>>> {
    const query = { collection: keyRows, scope: [orgId], orderBy: { index: 'created', direction: 'asc' as const } };
    const { items, next } = await storedOnly(
      (asked) => visiblePage(this.readStore, query, asked, async ({ doc }) => doc),
      page,
    );
    const uses = await keyUseRows.getMany(
      this.readStore,
      [orgId],
      items.map(({ id }) => id),
    );
    return { items: items.map((key) => apiKeyView(key, lastUse(uses.get(key.id)))), next };
  }

  async get({ orgId }: Identity, keyId: string): Promise<Schema<'APIKey'>> {
    if (!looksLikeId('cred', keyId)) throw notFound('API key');
    const { key, revoked } = (await this.decisions.load(apiKeyKind, idPart(keyId))).state;
    if (!key) this.decisions.forget(apiKeyKind, idPart(keyId));
    if (!key || revoked || key.org_id !== orgId) throw notFound('API key');
    return apiKeyView(key, await this.lastUse(orgId, keyId));
  }

  private async lastUse(orgId: string, keyId: string): Promise<string | null> {
    try {
      return lastUse(await keyUseRows.get(this.readStore, [orgId], keyId));
    } catch (error) {
      if (error instanceof StoreUnavailable) return null; // best effort: the answer then lacks the last use
      throw error;
    }
  }
}

function lastUse(row: { doc: { last_used_at: string } } | null | undefined): string | null {
  return row?.doc.last_used_at ?? null;
}
