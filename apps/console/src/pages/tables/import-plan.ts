import { withFormula, type CsvRecord } from './csv';
import { valueOfText, type ColumnType } from './cell-values';

export interface ImportColumn {
  name: string;
  type: ColumnType;
  required?: boolean;
}

export interface ImportSchema {
  identity_column: string;
  columns: readonly ImportColumn[];
  open?: boolean;
}

export interface PlannedRow {
  line: number;
  identity: string;
  data: Record<string, unknown>;
}

export interface RefusedRow {
  line: number;
  reason: string;
}

export interface ImportPlan {
  rows: PlannedRow[];
  refused: RefusedRow[];
}

/**
 * Reads the rows of a file by the columns of a table; the first line has their names.
 *
 * Refuses  a file as a whole: without a line of names, without the identity column, with a name twice, or with a name
 *          that the table does not have.
 */
export function planOf(records: readonly CsvRecord[], schema: ImportSchema): ImportPlan {
  const [head, ...lines] = records;
  const columns = columnsOf(head?.cells ?? [], schema);
  const plan: ImportPlan = { rows: [], refused: [] };
  const lineOf = new Map<string, number>();
  for (const { line, cells } of lines) {
    const read = rowOf(cells, columns, schema);
    const identity = 'data' in read ? String(read.data[schema.identity_column]) : '';
    const before = lineOf.get(identity);
    if ('reason' in read) plan.refused.push({ line, reason: read.reason });
    else if (before !== undefined)
      plan.refused.push({ line, reason: `line ${before} has the same ${schema.identity_column}` });
    else {
      lineOf.set(identity, line);
      plan.rows.push({ line, identity, data: read.data });
    }
  }
  return plan;
}

function columnsOf(names: readonly string[], schema: ImportSchema): ImportColumn[] {
  if (!names.includes(schema.identity_column))
    throw new RangeError(`The first line does not name the column ${schema.identity_column}.`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new RangeError(`The first line names ${twice || 'a column without a name'} twice.`);
  return names.map((name) => {
    const column = schema.columns.find((one) => one.name === name);
    if (column) return column;
    if (!schema.open) throw new RangeError(`The table has no column ${name}.`);
    return { name, type: 'any' };
  });
}

function rowOf(
  cells: readonly string[],
  columns: readonly ImportColumn[],
  schema: ImportSchema,
): { data: Record<string, unknown> } | { reason: string } {
  if (cells.length !== columns.length)
    return { reason: `it has ${cells.length} cells, the first line ${columns.length}` };
  const data: Record<string, unknown> = {};
  for (const [at, column] of columns.entries()) {
    const read = valueOfText(withFormula(cells[at] ?? ''), column.type);
    if ('fault' in read) return { reason: `${column.name}: ${read.fault}` };
    if (read.value !== null) data[column.name] = read.value;
  }
  const missing = schema.columns.find(
    ({ name, required }) => (required || name === schema.identity_column) && !(name in data),
  );
  return missing ? { reason: `${missing.name} is empty` } : { data };
}
