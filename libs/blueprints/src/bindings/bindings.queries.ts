import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { bindingsWire } from './bindings.decide.js';
import { CurrentBindings } from './current-bindings.js';

export interface BindingFilter {
  namespace?: string;
  blueprint_key?: string;
}

export class ListBindings extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: BindingFilter,
  ) {
    super();
  }
}

/** All bindings that the filter leaves, in one answer (rules B26, G3). */
@QueryHandler(ListBindings)
export class ListBindingsHandler implements IQueryHandler<ListBindings> {
  constructor(private readonly bindings: CurrentBindings) {}

  async execute({ who, filter }: ListBindings): Promise<JsonObject> {
    return { items: bindingsWire(await this.bindings.list(who.orgId, filter), who), has_more: false };
  }
}
