import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { ModelProvider, notFound, type Identity } from '@aos/kernel';
import { ActionCatalog } from '../grants/action-catalog.js';
import { shownTo } from '../grants/tools.decide.js';
import { actionWire } from '../grants/tools.queries.js';

@Injectable()
export class CatalogQueries {
  constructor(
    private readonly catalog: ActionCatalog,
    private readonly modelProvider: ModelProvider,
  ) {}

  async actions(who: Identity): Promise<Schema<'ActionCatalogListResponse'>> {
    const actions = await this.catalog.actions(who.orgId);
    return { items: actions.filter((action) => shownTo(action, who)).map((action) => actionWire(action, who)) };
  }

  async action(who: Identity, name: string): Promise<Schema<'ActionCatalogEntry'>> {
    const action = await this.catalog.action(who.orgId, name);
    if (!action || !shownTo(action, who)) throw notFound('action');
    return actionWire(action, who);
  }

  /** Models agents may use, by provider (rule R38); the one that an agent without a model gets is recommended. */
  models(): Schema<'ModelCatalogResponse'> {
    const { defaultModel, providers } = this.modelProvider.catalog;
    const items = providers.map(({ provider, displayName, source, models }) => ({
      provider,
      display_name: displayName,
      source: source === 'byok' ? ('byok' as const) : ('platform' as const),
      models: models.map((model) => ({
        id: model.id,
        provider: model.provider,
        label: model.label,
        ...(model.description === undefined ? {} : { description: model.description }),
        context_window_tokens: model.contextWindowTokens,
        recommended: model.id === defaultModel || `${model.provider}/${model.id}` === defaultModel,
      })),
    }));
    const answer = { default_model: defaultModel ?? '', items };
    const isEmpty = !items.some(({ models }) => models.length > 0);
    return isEmpty ? { ...answer, reason: 'credentials_unavailable' } : answer;
  }
}
