import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ModelProvider, notFound, type Identity, type JsonObject } from '@aos/kernel';
import { ActionCatalog } from '../grants/action-catalog.js';
import { shownTo } from '../grants/tools.decide.js';
import { actionWire } from '../grants/tools.queries.js';

export class ListCatalogActions extends Query<JsonObject> {
  constructor(readonly who: Identity) {
    super();
  }
}

export class GetCatalogAction extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly name: string,
  ) {
    super();
  }
}

export class ListCatalogModels extends Query<JsonObject> {}

@QueryHandler(ListCatalogActions)
export class ListCatalogActionsHandler implements IQueryHandler<ListCatalogActions> {
  constructor(private readonly catalog: ActionCatalog) {}

  async execute({ who }: ListCatalogActions): Promise<JsonObject> {
    const actions = await this.catalog.actions(who.orgId);
    return { items: actions.filter((action) => shownTo(action, who)).map((action) => actionWire(action, who)) };
  }
}

@QueryHandler(GetCatalogAction)
export class GetCatalogActionHandler implements IQueryHandler<GetCatalogAction> {
  constructor(private readonly catalog: ActionCatalog) {}

  async execute({ who, name }: GetCatalogAction): Promise<JsonObject> {
    const action = await this.catalog.action(who.orgId, name);
    if (!action || !shownTo(action, who)) throw notFound('action');
    return actionWire(action, who);
  }
}

/** Models agents may use, by provider (rule R38); the one that an agent without a model gets is recommended. */
@QueryHandler(ListCatalogModels)
export class ListCatalogModelsHandler implements IQueryHandler<ListCatalogModels> {
  constructor(private readonly models: ModelProvider) {}

  async execute(): Promise<JsonObject> {
    const { defaultModel, providers } = this.models.catalog;
    const items = providers.map(({ provider, displayName, source, models }) => ({
      provider,
      display_name: displayName,
      source: source === 'byok' ? 'byok' : 'platform',
      models: models.map((model) => ({
        id: model.id,
        provider: model.provider,
        label: model.label,
        ...(model.description === undefined ? {} : { description: model.description }),
        context_window_tokens: model.contextWindowTokens,
        recommended: model.id === defaultModel || `${model.provider}/${model.id}` === defaultModel,
      })),
    }));
    const answer: JsonObject = { default_model: defaultModel ?? '', items };
    if (!items.some(({ models }) => models.length > 0)) answer.reason = 'credentials_unavailable';
    return Promise.resolve(answer);
  }
}
