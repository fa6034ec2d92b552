import { badRequest, invalidArgument, requireWholeCharacters, type Issue } from '@aos/kernel';
import type { AnyKind } from '@aos/definitions/published';
import { entryId } from '../blueprint/blueprint.state.js';
import { requestedOf, type ApplyRequest, type RequestedResources } from './plan.state.js';

/** Body of `POST /v1/blueprints/apply`. */
export interface ApplyBody {
  namespace?: string;
  blueprint_key?: string;
  blueprint_version?: string;
  mode?: 'preview' | 'apply';
  protect_resources?: boolean;
  resources: RequestedResources;
}

/**
 * The request behind a body of the contract's shape.
 *
 * Refuses  bad_request for a repeated key, for protection without a blueprint key, and for what the types say;
 *          invalid_argument for reserved names and tags, and for a blueprint key or namespace that no later request
 *          could name.
 * Source   rules B2, B8, B21.
 */
export function requestOf(resources: readonly AnyKind[], body: ApplyBody): ApplyRequest {
  const issues: Issue[] = [];
  if (body.protect_resources === true && body.blueprint_key === undefined) {
    issues.push({ path: '/protect_resources', message: 'needs blueprint_key' });
  }
  const seen = new Set<string>();
  for (const { resource, entry, at } of requestedOf(resources, body.resources)) {
    const id = entryId(resource.type, entry.key);
    if (seen.has(id)) issues.push({ path: `${at}/key`, message: 'appears twice' });
    seen.add(id);
    issues.push(...resource.blueprint.issues(entry, at));
  }
  if (issues.length > 0) throw badRequest(issues);
  if (body.namespace !== undefined) requireAddressable('namespace', body.namespace);
  if (body.blueprint_key !== undefined) requireAddressable('blueprint_key', body.blueprint_key);
  return {
    identity: { namespace: body.namespace ?? null, blueprintKey: body.blueprint_key ?? null },
    version: body.blueprint_version ?? null,
    protect: body.protect_resources ?? null,
    resources: body.resources,
  };
}

const controlOrDots = /^\.{1,2}$|\p{Cc}/u;

/** What stands in the path or the query of later requests. */
function requireAddressable(argument: string, text: string): void {
  requireWholeCharacters(argument, text);
  if (controlOrDots.test(text))
    throw invalidArgument(argument, 'must not be . or .. or hold a control character', { reason: 'not_addressable' });
}
