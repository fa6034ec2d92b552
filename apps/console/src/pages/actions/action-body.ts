import type { Reply, RequestBody, Schema } from '@aos/client';

export type Action = Reply<'getAction'>;
export type ActionBody = RequestBody<'updateAction'>;
export type NewActionBody = RequestBody<'createAction'>;
export type CatalogAction = Schema<'ActionCatalogEntry'>;

/** What of an action may be changed: name and kind are fixed. */
export function bodyOf(action: Action): ActionBody {
  const { title, description, endpoint_url, invocation_format, input_schema, output_schema, annotations, tags } =
    action;
  const body = { title, description, endpoint_url, invocation_format, input_schema, output_schema, annotations, tags };
  return JSON.parse(JSON.stringify(body)) as ActionBody; // without what is undefined
}

/** The body that makes an action like this one. */
export function copyOf(action: Action, name: string): NewActionBody {
  const { annotations, ...body } = bodyOf(action);
  return {
    ...body,
    ...(annotations ? { annotations } : {}),
    name,
    endpoint_kind: action.endpoint_kind,
    visibility: action.visibility,
  };
}

/** Actions of the service itself have this prefix, which nothing else may have. */
export function isBuiltIn(name: string): boolean {
  return name.startsWith('svc.');
}
