import type { RequestBody } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { definitionKind, text, withoutUnset } from '../definition/definition.state.js';
import type { DefinitionRecord } from '../definition/definition.events.js';
import {
  actionEvents,
  type ActionAnnotations,
  type ActionDefinition,
  type ActionEndpointKind,
  type ActionEvent,
  type InvocationFormat,
} from './action.events.js';

export type ActionRecord = DefinitionRecord<ActionDefinition>;

/** Stream `action-<id>`. */
export const actionKind = definitionKind<ActionDefinition, ActionEvent>({
  category: 'action',
  events: actionEvents,
  created: (record) => ({ type: 'ActionCreated', data: { record } }),
  changed: (record) => ({ type: 'ActionConfigured', data: { record } }),
  deleted: (record) => ({ type: 'ActionDeleted', data: { record } }),
});

/** What a caller sends about an action: absent keeps, on a new action absent means the default. */
export type DesiredAction = {
  title?: string;
  description?: string;
  endpoint_url?: string;
  /** Null clears it. */
  provider?: string | null;
  invocation_format?: InvocationFormat;
  input_schema?: JsonObject;
  output_schema?: JsonObject;
  /** Null clears all flags. */
  annotations?: ActionAnnotations | null;
  tags?: Record<string, string>;
};

/** Body of `POST /v1/actions`. */
export type NewAction = RequestBody<'createAction'>;

/** An action with its fixed facts and defaults for all other fields. */
export function unconfiguredAction(name: string, endpointKind: ActionEndpointKind): ActionDefinition {
  return { name, endpoint_kind: endpointKind, invocation_format: 'legacy', annotations: {}, tags: {} };
}

/**
 * The definition that results from a definition and what a caller wants; pure, so that a preview says exactly what an
 * apply does.
 */
export function configuredAction(current: ActionDefinition, desired: DesiredAction): ActionDefinition {
  return withoutUnset({
    ...current,
    title: text(desired.title, current.title),
    description: text(desired.description, current.description),
    endpoint_url: desired.endpoint_url ?? current.endpoint_url,
    provider: desired.provider === undefined ? current.provider : (desired.provider ?? undefined),
    invocation_format: desired.invocation_format ?? current.invocation_format,
    input_schema: schema(desired.input_schema, current.input_schema),
    output_schema: schema(desired.output_schema, current.output_schema),
    annotations: desired.annotations === undefined ? current.annotations : withoutUnset({ ...desired.annotations }),
    tags: desired.tags ? { ...desired.tags } : current.tags,
  });
}

/** An empty schema clears the field. */
function schema(desired: JsonObject | undefined, current: JsonObject | undefined): JsonObject | undefined {
  if (desired === undefined) return current;
  return Object.keys(desired).length === 0 ? undefined : desired;
}

/** The context that a secret is sealed for; under another context it cannot be opened. */
export function secretOwner(orgId: string, actionId: string, version: number): { orgId: string; resource: string } {
  return { orgId, resource: `action/${actionId}/secret/${version}` };
}
