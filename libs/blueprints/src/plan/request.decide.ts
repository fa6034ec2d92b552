import { badRequest, type Issue } from '@aos/kernel';
import type { RequestedResources, ResourceKind } from '../resources/resource-kind.state.js';
import type { ApplyRequest } from './plan.state.js';

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
 *          invalid_argument for reserved names and tags.
 * Source   rules B2, B8, B21.
 */
export function requestOf(resources: readonly ResourceKind[], body: ApplyBody): ApplyRequest {
  const issues: Issue[] = [];
  if (body.protect_resources === true && body.blueprint_key === undefined) {
    issues.push({ path: '/protect_resources', message: 'needs blueprint_key' });
  }
  for (const resource of resources) {
    const seen = new Set<string>();
    for (const [index, entry] of (body.resources[resource.list] ?? []).entries()) {
      const at = `/resources/${resource.list}/${index}`;
      if (seen.has(entry.key)) issues.push({ path: `${at}/key`, message: 'appears twice' });
      seen.add(entry.key);
      issues.push(...resource.issues(entry, at));
    }
  }
  if (issues.length > 0) throw badRequest(issues);
  return {
    identity: { namespace: body.namespace ?? null, blueprintKey: body.blueprint_key ?? null },
    version: body.blueprint_version ?? null,
    protect: body.protect_resources ?? null,
    resources: body.resources,
  };
}
