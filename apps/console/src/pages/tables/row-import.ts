import { ApiError, type AgentService, type JsonObject } from '@aos/client';
import type { PlannedRow, RefusedRow } from './import-plan';

const bulkMax = 1_000;
const askedAtOnce = 100;
const mergedAtOnce = 4;

export type ImportMode = 'add' | 'merge';

export interface ImportResult {
  written: number;
  refused: RefusedRow[];
}

/** Which identities the table has already. */
export async function identitiesThere(
  svc: AgentService,
  table: { id: string; identity: string },
  rows: readonly PlannedRow[],
  signal: AbortSignal,
): Promise<Set<string>> {
  const there = new Set<string>();
  for (const part of chunksOf(rows, askedAtOnce)) {
    const filter = { [table.identity]: { $in: part.map(({ identity }) => identity) } };
    const page = await svc.tables.queryRows(table.id, { filter, limit: askedAtOnce }, { signal }).page();
    for (const { data } of page.items) there.add(String(data[table.identity]));
  }
  return there;
}

/** Writes planned rows, and says which of them the service refused. Throws for what stops the whole import. */
export async function importRows(
  svc: AgentService,
  tableId: string,
  rows: readonly PlannedRow[],
  mode: ImportMode,
  signal: AbortSignal,
  onDone: (count: number) => void,
): Promise<ImportResult> {
  const result: ImportResult = { written: 0, refused: [] };
  for (const part of chunksOf(rows, mode === 'add' ? bulkMax : mergedAtOnce)) {
    signal.throwIfAborted();
    if (mode === 'add') await addAll(svc, tableId, part, signal, result);
    else await Promise.all(part.map((row) => writeOne(svc, tableId, row, 'merge', signal, result)));
    onDone(result.written + result.refused.length);
  }
  result.refused.sort((a, b) => a.line - b.line);
  return result;
}

/** All at once; where the service refuses one of them, each by itself, so that the others are written. */
async function addAll(
  svc: AgentService,
  tableId: string,
  rows: readonly PlannedRow[],
  signal: AbortSignal,
  result: ImportResult,
): Promise<void> {
  try {
    await svc.tables.bulkCreateTableRows(tableId, { rows: rows.map(({ data }) => data as JsonObject) }, { signal });
    result.written += rows.length;
  } catch (error) {
    if (!isOfRow(error)) throw error;
    for (const row of rows) await writeOne(svc, tableId, row, 'add', signal, result);
  }
}

async function writeOne(
  svc: AgentService,
  tableId: string,
  row: PlannedRow,
  mode: ImportMode,
  signal: AbortSignal,
  result: ImportResult,
): Promise<void> {
  const body = { data: row.data as JsonObject };
  try {
    if (mode === 'add') await svc.tables.createRow(tableId, body, { signal });
    else await svc.tables.upsertRow(tableId, body, { signal });
    result.written += 1;
  } catch (error) {
    if (!isOfRow(error)) throw error;
    result.refused.push({ line: row.line, reason: reasonOf(error) });
  }
}

/** A refusal that is about a row and not about the caller or the service. */
function isOfRow(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 409, 413].includes(error.status);
}

function reasonOf(error: ApiError): string {
  const { issues } = error.details;
  if (!Array.isArray(issues)) return error.message;
  return issues.map((issue) => Object.values(issue as Record<string, string>).join(' ')).join('; ');
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
