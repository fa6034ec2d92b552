import { invalidArgument, isLongerThan, type Issue } from '@aos/kernel';
import { tagIssues } from '../definition/definition.limits.js';
import type { ActionEndpointKind } from './action.events.js';
import type { DesiredAction } from './action.state.js';

/** Characters (rule L8; contract, `CreateActionRequest`). */
export const actionNameMax = 128;
export const actionTitleMax = 200;
export const actionDescriptionMax = 4096;
/** How long receivers accept the previous secret after a rotation (rule R25). */
export const previousSecretValidMs = 72 * 3600 * 1000;

const namePattern = /^[a-z0-9][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)*$/;

/**
 * What the contract's shape cannot say about an action; also what it can, for actions that do not come as such a body.
 *
 * Takes    the fields, the endpoint kind there is or will be, and whether the action is new.
 * Gives    issues with JSON pointers below `at`.
 * Source   rules B7, L8, L12; contract, `CreateActionRequest` and `ActionInvocationFormat`.
 */
export function actionIssues(
  desired: DesiredAction & { name?: string },
  kind: ActionEndpointKind,
  isNew: boolean,
  at = '',
): Issue[] {
  const issues: Issue[] = [...tagIssues(desired.tags, `${at}/tags`)];
  if (desired.name !== undefined && (!namePattern.test(desired.name) || desired.name.length > actionNameMax)) {
    issues.push({ path: `${at}/name`, message: `a lower-case dotted name of at most ${actionNameMax} characters` });
  }
  for (const [field, max] of [
    ['title', actionTitleMax],
    ['description', actionDescriptionMax],
  ] as const) {
    if (isLongerThan(desired[field] ?? '', max))
      issues.push({ path: `${at}/${field}`, message: `at most ${max} characters` });
  }
  if (kind === 'http' && isNew && desired.endpoint_url === undefined)
    issues.push({ path: `${at}/endpoint_url`, message: 'an http action needs it' });
  if (kind === 'worker' && desired.endpoint_url !== undefined)
    issues.push({ path: `${at}/endpoint_url`, message: 'a worker action has none' });
  if (kind === 'worker' && typeof desired.provider === 'string')
    issues.push({ path: `${at}/provider`, message: 'a worker action sends no secret' });
  if (kind === 'worker' && desired.invocation_format === 'signed_context_v1') {
    issues.push({ path: `${at}/invocation_format`, message: 'worker actions use legacy' });
  }
  return issues;
}

/** Refuses names of the service itself: well-formed, but not a caller's (rule G26). */
export function requireOwnActionName(name: string): void {
  if (name === 'svc' || name.startsWith('svc.'))
    throw invalidArgument('name', 'names that start with svc. are reserved');
}
