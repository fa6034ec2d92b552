import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { bindingsWire } from './bindings.decide.js';
import { CurrentBindings } from './current-bindings.js';

@Injectable()
export class BindingQueries {
  constructor(private readonly bindings: CurrentBindings) {}

  /** All bindings that the filter leaves, in one answer (rules B26, G3). */
  async list(who: Identity, filter: QueryOf<'listBlueprintBindings'>): Promise<Reply<'listBlueprintBindings'>> {
    return { items: bindingsWire(await this.bindings.list(who.orgId, filter), who), has_more: false };
  }
}
