import { Refusal, badRequest } from '@aos/kernel';
import { newCustody, requireCustody, requireUnprotected } from '../definition/custody.decide.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import {
  changeEvents,
  newRecord,
  nextRecord,
  stampOf,
  type DefinitionCommand,
} from '../definition/definition.decide.js';
import type { ActionEvent } from './action.events.js';
import { actionIssues, previousSecretValidMs, requireOwnActionName } from './action.limits.js';
import {
  actionKind,
  configuredAction,
  unconfiguredAction,
  type ActionRecord,
  type DesiredAction,
  type NewAction,
} from './action.state.js';

/** A change of an action that has secrets: they are sealed anew with it where that is due. */
export interface SealingCommand extends DefinitionCommand {
  sealedAnew: (record: ActionRecord) => ActionRecord;
}

/**
 * Makes a new action. The caller of this function checks its schemas and address before, and claims its name when it
 * writes.
 *
 * Takes    the body and the id it will have. An http action gets its first secret afterwards.
 * Refuses  bad_request; invalid_argument for a reserved name or tag; permission_denied (custody).
 * Source   rules B7, R21, R22, R25, A26.
 */
export function createAction(command: DefinitionCommand & { id: string; body: NewAction }): ActionRecord {
  const { who, id, body } = command;
  const kind = body.endpoint_kind ?? 'http';
  const issues = actionIssues(body, kind, true);
  if (issues.length > 0) throw badRequest(issues);
  requireOwnActionName(body.name);
  requireOwnTags(body.tags);
  const custody = newCustody(body, who, 'organization');
  const wire = configuredAction(unconfiguredAction(body.name, kind), body);
  return newRecord({ id, orgId: who.orgId, type: 'action', custody, wire }, stampOf(command));
}

/**
 * Changes an action's fields; name and endpoint kind are fixed (rule B20).
 *
 * Gives    one event, or none when nothing differs.
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected; bad_request.
 */
export function changeAction(command: SealingCommand & { body: DesiredAction }, record: ActionRecord): ActionEvent[] {
  const { who, body, sealedAnew } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  const issues = actionIssues(body, record.wire.endpoint_kind, false);
  if (issues.length > 0) throw badRequest(issues);
  requireOwnTags(body.tags);
  const events = changeEvents(actionKind, record, { wire: configuredAction(record.wire, body) }, command);
  return events.map(({ data }) => actionKind.changed(sealedAnew(data.record)));
}

/**
 * Puts a new signing secret in place; the one before stays valid to receivers for 72 hours. Protection does not block
 * it (rule B23).
 *
 * Takes    how the secret is sealed for the version it gets.
 * Refuses  not_found, permission_denied (custody); conflict for a worker action, which has no secret (rule G27).
 */
export function rotateSecret(
  command: SealingCommand & { nowMs: number; seal: (version: number) => string },
  record: ActionRecord,
): ActionEvent[] {
  const { who, nowMs, seal, sealedAnew } = command;
  requireCustody(record, who);
  const { signing } = record.wire;
  if (!signing) throw new Refusal('conflict', {}, 'a worker action has no signing secret');
  const version = signing.version + 1;
  const previous = {
    version: signing.version,
    sealed: signing.sealed,
    valid_until: new Date(nowMs + previousSecretValidMs).toISOString(),
  };
  const wire = { ...record.wire, signing: { version, sealed: seal(version), previous } };
  const next = nextRecord(record, { wire }, stampOf(command));
  return [{ type: 'ActionSecretRotated', data: { record: sealedAnew(next) } }];
}
