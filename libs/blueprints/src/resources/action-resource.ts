import { collectionOf, type JsonObject } from '@aos/kernel';
import {
  actionIssues,
  actionKind,
  actionsProjection,
  configuredAction,
  requireOwnActionName,
  requireOwnTags,
  unconfiguredAction,
  type ActionAnnotations,
  type ActionEndpointKind,
  type DesiredAction,
} from '@aos/definitions/published';
import { resourceKind, type Entry } from './resource-kind.state.js';

/** Shape `BlueprintActionInput` of the contract. */
export type ActionEntry = Entry & {
  type?: ActionEndpointKind;
  endpoint?: string;
  title?: string;
  description?: string;
  input_schema?: JsonObject;
  output_schema?: JsonObject;
  annotations?: ActionAnnotations;
  tags?: Record<string, string>;
};

/** The entry's fields by the names they are stored under. */
export function desiredAction({
  key: _key,
  name: _name,
  type: _type,
  endpoint,
  ...fields
}: ActionEntry): DesiredAction {
  return endpoint === undefined ? fields : { ...fields, endpoint_url: endpoint };
}

function issuesOf(entry: ActionEntry, kind: ActionEndpointKind, isNew: boolean, at: string) {
  const issues = actionIssues({ name: entry.name, ...desiredAction(entry) }, kind, isNew, at);
  return issues.map(({ path, message }) => ({
    path: path === `${at}/endpoint_url` ? `${at}/endpoint` : path,
    message,
  }));
}

export const actionResource = resourceKind({
  type: 'action',
  list: 'actions',
  prefix: 'act',
  kind: actionKind,
  collection: collectionOf(actionsProjection),
  issues(entry: ActionEntry, at) {
    requireOwnActionName(entry.name);
    requireOwnTags(entry.tags);
    return issuesOf(entry, entry.type ?? 'http', false, at);
  },
  issuesAgainst: (entry, current, at) =>
    issuesOf(entry, entry.type ?? current?.endpoint_kind ?? 'http', current === null, at),
  blank: ({ name, type = 'http' }) => unconfiguredAction(name, type),
  configured: (current, entry) => configuredAction(current, desiredAction(entry)),
  fixedFields: (current, { name, type }) => [
    ...(name === current.name ? [] : ['name']),
    ...(type === undefined || type === current.endpoint_kind ? [] : ['type']),
  ],
  fieldNames: { endpoint_url: 'endpoint', endpoint_kind: 'type', signing: null },
});
