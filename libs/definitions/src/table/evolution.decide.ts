import { Refusal, type Issue } from '@aos/kernel';
import type { TableSchema } from './table.events.js';
import { columnOf } from './table.state.js';

/** One fixed fact that a new schema would change. */
export interface FixedFact {
  /** Such as `identity_column` or `columns.name.type`. */
  field: string;
  message: string;
}

/**
 * What of a table's schema a new one may not change; for the API and for adoption by blueprints.
 *
 * Source   rules B15, B20.
 */
export function fixedFacts(current: TableSchema, next: TableSchema): FixedFact[] {
  const facts: FixedFact[] = [];
  if (next.identity_column !== current.identity_column)
    facts.push({ field: 'identity_column', message: 'the identity column is fixed' });
  if ((next.secondary_key_column ?? null) !== (current.secondary_key_column ?? null)) {
    facts.push({ field: 'secondary_key_column', message: 'the secondary key column is fixed' });
  }
  for (const { name, type, required = false } of current.columns) {
    const column = columnOf(next, name);
    if (!column) facts.push({ field: `columns.${name}`, message: `column ${name} cannot be removed` });
    else if (column.type !== type)
      facts.push({ field: `columns.${name}.type`, message: `the type of column ${name} is fixed` });
    else if ((column.required ?? false) !== required)
      facts.push({ field: `columns.${name}.required`, message: `the required flag of column ${name} is fixed` });
  }
  return facts;
}

/** Columns that are new and required: rows there are have no value for them. */
export function newColumnIssues(current: TableSchema, next: TableSchema, at: string): Issue[] {
  return next.columns.flatMap(({ name, required }, index) =>
    required === true && !columnOf(current, name)
      ? [{ path: `${at}/columns/${index}/required`, message: 'a new column is optional' }]
      : [],
  );
}

/** Refuses immutable_field {field} for the first fixed fact that would change. */
export function requireFixedFacts(current: TableSchema, next: TableSchema): void {
  const [first] = fixedFacts(current, next);
  if (first) throw new Refusal('immutable_field', { field: `schema.${first.field}` }, first.message);
}
