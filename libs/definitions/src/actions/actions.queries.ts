import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { collectionOf, type Condition, type Identity, type JsonObject } from '@aos/kernel';
import { ActionDirectory } from '../action/action-directory.js';
import type { ActionDefinition } from '../action/action.events.js';
import { actionsProjection, customActionWire } from '../action/action.projection.js';
import { DefinitionLists, type PageFilter } from '../definition/definition-lists.js';
import { visibleAction } from './actions.handlers.js';

export interface ActionFilter extends PageFilter {
  name?: string;
}

export class ListActions extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: ActionFilter,
  ) {
    super();
  }
}

export class GetAction extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly name: string,
  ) {
    super();
  }
}

@QueryHandler(ListActions)
export class ListActionsHandler implements IQueryHandler<ListActions> {
  constructor(private readonly lists: DefinitionLists) {}

  async execute({ who, filter }: ListActions): Promise<JsonObject> {
    const where: Condition[] = filter.name === undefined ? [] : [{ index: 'name', eq: filter.name }];
    const list = { list: 'actions', collection: collectionOf(actionsProjection), who, where, filter };
    return this.lists.answer<ActionDefinition>(list, (action) => customActionWire(action, who));
  }
}

@QueryHandler(GetAction)
export class GetActionHandler implements IQueryHandler<GetAction> {
  constructor(private readonly directory: ActionDirectory) {}

  async execute({ who, name }: GetAction): Promise<JsonObject> {
    return customActionWire(await visibleAction(this.directory, who, name), who);
  }
}
