import { badRequest } from '@aos/kernel';
import { newCustody, requireCustody, requireUnprotected } from '../definition/custody.decide.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import { changeEvents, newRecord, stampOf, type DefinitionCommand } from '../definition/definition.decide.js';
import type { TableEvent } from './table.events.js';
import { tableIssues } from './table.limits.js';
import {
  configuredTable,
  newTableDefinition,
  tableKind,
  type DesiredTable,
  type NewTable,
  type TableRecord,
} from './table.state.js';
import { newColumnIssues, requireFixedFacts } from './evolution.decide.js';

/**
 * Makes a new table. The writer of its record claims the name.
 *
 * Refuses  bad_request; invalid_argument {human_custodian_required}; permission_denied (custody).
 * Source   rules R27, R28, R29, A26, L8, L12, L14.
 */
export function createTable(command: DefinitionCommand & { id: string; body: NewTable }): TableRecord {
  const { who, id, body } = command;
  requireNoIssues(body);
  const custody = newCustody(body, who, 'organization');
  return newRecord({ id, orgId: who.orgId, type: 'table', custody, wire: newTableDefinition(body) }, stampOf(command));
}

/**
 * Changes a table's fields; a schema replaces within the rules of its evolution.
 *
 * Gives    one event, or none when nothing differs.
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected; immutable_field {field}; bad_request.
 * Source   rule B20; contract, `UpdateTableRequest`.
 */
export function changeTable(command: DefinitionCommand & { body: DesiredTable }, record: TableRecord): TableEvent[] {
  const { who, body } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  requireNoIssues(body);
  if (body.schema) {
    requireFixedFacts(record.wire.schema, body.schema);
    const issues = newColumnIssues(record.wire.schema, body.schema, '/schema');
    if (issues.length > 0) throw badRequest(issues);
  }
  return changeEvents(tableKind, record, { wire: configuredTable(record.wire, body) }, command);
}

function requireNoIssues(body: DesiredTable): void {
  const issues = tableIssues(body);
  if (issues.length > 0) throw badRequest(issues);
  requireOwnTags(body.tags);
}
