import { Refusal, badRequest, type Identity } from '@aos/kernel';
import { newCustody, requireCustody, requireUnprotected } from '../definition/custody.decide.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import { differingFields } from '../definition/differences.decide.js';
import { newRecord, nextRecord } from '../definition/definition.decide.js';
import type { ActionEvent } from './action.events.js';
import { actionIssues, previousSecretValidMs, requireOwnActionName } from './action.limits.js';
import {
  configuredAction,
  unconfiguredAction,
  type ActionRecord,
  type DesiredAction,
  type NewAction,
} from './action.state.js';

export interface ActionCommand {
  who: Identity;
  /** RFC 3339. */
  at: string;
}

/** A change of an action that has secrets: they are sealed anew with it where that is due. */
export interface SealingCommand extends ActionCommand {
  sealedAnew: (record: ActionRecord) => ActionRecord;
}

/**
 * Makes a new action. The caller of this function checks its schemas and address before, and claims its name when it
 * writes.
 *
 * Takes    the body, the id it will have, and its first secret, sealed; null for a worker action.
 * Refuses  bad_request; invalid_argument for a reserved name or tag; permission_denied (custody).
 * Source   rules B7, R21, R22, R25, A26.
 */
export function createAction(
  command: ActionCommand & { id: string; body: NewAction; sealed: string | null },
): ActionRecord {
  const { who, at, id, body, sealed } = command;
  const kind = body.endpoint_kind ?? 'http';
  const issues = actionIssues(body, kind, true);
  if (issues.length > 0) throw badRequest(issues);
  requireOwnActionName(body.name);
  requireOwnTags(body.tags);
  const custody = newCustody(body, who, 'organization');
  const wire = configuredAction(unconfiguredAction(body.name, kind), body);
  if (sealed !== null) wire.signing = { version: 1, sealed, previous: null };
  return newRecord({ id, orgId: who.orgId, type: 'action', custody, wire }, { principalId: who.principalId, at });
}

/**
 * Changes an action's fields; name and endpoint kind are fixed (rule B20).
 *
 * Gives    one event, or none when nothing differs.
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected; bad_request.
 */
export function changeAction(command: SealingCommand & { body: DesiredAction }, record: ActionRecord): ActionEvent[] {
  const { who, at, body, sealedAnew } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  const issues = actionIssues(body, record.wire.endpoint_kind, false);
  if (issues.length > 0) throw badRequest(issues);
  requireOwnTags(body.tags);
  const wire = configuredAction(record.wire, body);
  if (differingFields(record.wire, wire).length === 0) return [];
  const next = nextRecord(record, { wire }, { principalId: who.principalId, at });
  return [{ type: 'ActionConfigured', data: { record: sealedAnew(next) } }];
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
  const { who, at, nowMs, seal, sealedAnew } = command;
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
  const next = nextRecord(record, { wire }, { principalId: who.principalId, at });
  return [{ type: 'ActionSecretRotated', data: { record: sealedAnew(next) } }];
}

/** Deletes an action: its name is free again. */
export function deleteAction(command: ActionCommand, record: ActionRecord): ActionEvent[] {
  const { who, at } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  return [
    {
      type: 'ActionDeleted',
      data: { record: nextRecord(record, { deleted_at: at }, { principalId: who.principalId, at }) },
    },
  ];
}
