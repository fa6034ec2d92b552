import type { RequestBody, Schema } from '@aos/contract';
import { actionDecider } from '../action.decider.js';
import { createAction } from '../action/action.decide.js';
import type { ActionDefinition } from '../action/action.events.js';
import { actionsProjection, customActionWire } from '../action/action.projection.js';
import { actionKind, type NewAction } from '../action/action.state.js';
import type { ResourceKind } from './resource-kind.js';

export const actionResource: ResourceKind<{
  definition: ActionDefinition;
  created: NewAction;
  changed: RequestBody<'updateAction'>;
  wire: Schema<'Action'>;
}> = {
  type: 'action',
  list: 'actions',
  prefix: 'act',
  kind: actionKind,
  projection: actionsProjection,
  knownBy: 'name',
  filters: { name: 'name' },
  wire: customActionWire,
  create: createAction,
  change: actionDecider.changeAction,
  delete: actionDecider.deleteAction,
  async checkNew({ actions, people }, who, body) {
    await actions.require(who, body);
    await people.require(who, body);
  },
  checkChange: ({ actions }, who, body) => actions.require(who, body),
  secrets: {
    first({ signing }, made) {
      const { record, secret } = signing.first(made);
      return { record, shown: secret === null ? {} : { signing_secret: secret } };
    },
    sealedAnew: ({ signing }, record) => signing.renewed(record),
  },
};
