import type { Reply, RequestBody, Schema } from '@aos/client';
import { membersOf } from '../definitions/members';

export type Action = Reply<'getAction'>;
export type ActionBody = RequestBody<'updateAction'>;
export type NewActionBody = RequestBody<'createAction'>;
export type CatalogAction = Schema<'ActionCatalogEntry'>;

const changeable = [
  'title',
  'description',
  'endpoint_url',
  'invocation_format',
  'input_schema',
  'output_schema',
  'annotations',
  'tags',
] as const;

/** What of an action may be changed: name and kind are fixed. */
export function bodyOf(action: Action): ActionBody {
  return membersOf(action, changeable) as ActionBody;
}

/** The body that makes an action like this one. */
export function copyOf(action: Action, name: string): NewActionBody {
  const { annotations, ...body } = membersOf(action, changeable) as Omit<NewActionBody, 'name' | 'endpoint_kind'>;
  return {
    ...body,
    ...(annotations ? { annotations } : {}),
    ...(action.provider ? { provider: action.provider } : {}),
    name,
    endpoint_kind: action.endpoint_kind,
    visibility: action.visibility,
  };
}

/** Actions of the service itself have this prefix, which nothing else may have. */
export function isBuiltIn(name: string): boolean {
  return name.startsWith('svc.');
}
