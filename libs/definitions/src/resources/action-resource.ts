import type { RequestBody, Schema } from '@aos/contract';
import { Refusal, invalidArgument, type Issue } from '@aos/kernel';
import { actionDecider } from '../action.decider.js';
import { createAction } from '../action/action.decide.js';
import type { ActionDefinition, ActionEndpointKind } from '../action/action.events.js';
import { actionsProjection, customActionWire } from '../action/action.projection.js';
import { actionIssues, requireOwnActionName } from '../action/action.limits.js';
import {
  actionKind,
  configuredAction,
  unconfiguredAction,
  type DesiredAction,
  type NewAction,
} from '../action/action.state.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import type { ResourceKind } from './resource-kind.js';

type ActionEntry = Schema<'BlueprintActionInput'>;

/** The entry's fields by the names they are stored under. */
function desired({ key: _key, name: _name, type: _type, endpoint, ...fields }: ActionEntry): DesiredAction {
  return endpoint === undefined ? fields : { ...fields, endpoint_url: endpoint };
}

function issuesOf(entry: ActionEntry, kind: ActionEndpointKind, isNew: boolean, at: string): Issue[] {
  const issues = actionIssues({ name: entry.name, ...desired(entry) }, kind, isNew, at);
  return issues.map(({ path, message }) => ({
    path: path === `${at}/endpoint_url` ? `${at}/endpoint` : path,
    message,
  }));
}

export const actionResource: ResourceKind<{
  definition: ActionDefinition;
  created: NewAction;
  changed: RequestBody<'updateAction'>;
  wire: Schema<'Action'>;
  entry: ActionEntry;
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
  blueprint: {
    issues(entry, at) {
      requireOwnActionName(entry.name);
      requireOwnTags(entry.tags);
      return issuesOf(entry, entry.type ?? 'http', false, at);
    },
    issuesAgainst: (entry, current, at) =>
      issuesOf(entry, entry.type ?? current?.endpoint_kind ?? 'http', current === null, at),
    /** Refuses invalid_argument {argument: endpoint} where `checkNew` names the endpoint_url. */
    async check({ actions }, who, entry, at) {
      try {
        await actions.require(who, desired(entry), at);
      } catch (error) {
        if (error instanceof Refusal && error.details.argument === 'endpoint_url')
          throw invalidArgument('endpoint', error.message.replace(/^endpoint_url: /, ''), { key: entry.key });
        throw error;
      }
    },
    blank: ({ name, type = 'http' }) => unconfiguredAction(name, type),
    configured: (current, entry) => configuredAction(current, desired(entry)),
    fixedFields: (current, { name, type }) => [
      ...(name === current.name ? [] : ['name']),
      ...(type === undefined || type === current.endpoint_kind ? [] : ['type']),
    ],
    fieldNames: { endpoint_url: 'endpoint', endpoint_kind: 'type', signing: null },
  },
  audit: {
    ActionSecretRotated: { action: 'action.secret_rotated', changedFields: ['signing_secret'] },
    // the secret is the same
    ActionSecretResealed: null,
  },
};
