import { Injectable } from '@nestjs/common';
import type { QueryOf, Schema } from '@aos/contract';
import type { Condition, Identity } from '@aos/kernel';
import { ActionDirectory } from '../action/action-directory.js';
import { actionRecords, customActionWire } from '../action/action.projection.js';
import { DefinitionLists, type WirePage } from '../definition/definition-lists.js';
import { visibleAction } from './actions.handlers.js';

@Injectable()
export class ActionQueries {
  constructor(
    private readonly lists: DefinitionLists,
    private readonly directory: ActionDirectory,
  ) {}

  list(who: Identity, filter: QueryOf<'listActions'>): Promise<WirePage<Schema<'Action'>>> {
    const where: Condition[] = filter.name === undefined ? [] : [{ index: 'name', eq: filter.name }];
    return this.lists.answer({ list: 'actions', collection: actionRecords, who, where, filter }, (action) =>
      customActionWire(action, who),
    );
  }

  async get(who: Identity, name: string): Promise<Schema<'Action'>> {
    return customActionWire(await visibleAction(this.directory, who, name), who);
  }
}
