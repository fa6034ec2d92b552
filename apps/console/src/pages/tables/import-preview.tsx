import { useEffect, useRef, useState } from 'react';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { call } from '../../api/call';
import { useService } from '../../api/hooks';
import { Button, CallShown, ErrorNote, numberText, Select } from '../../ui';
import type { ImportPlan, PlannedRow, RefusedRow } from './import-plan';
import { importRows, type ImportMode, type ImportResult } from './row-import';
import type { Table } from './table-body';

const refusedShown = 200;

export interface ReadFile extends ImportPlan {
  file: string;
  /** Identities that the table has already. */
  there: Set<string>;
}

const modes = [
  { value: 'add', label: 'Add new rows only' },
  { value: 'merge', label: 'Add new rows, change those that are there' },
];

/** What an import would do, by which of two ways, and the refused rows with their reasons. */
export function ImportPreview({
  table,
  read,
  onAgain,
  onClose,
}: {
  table: Table;
  read: ReadFile;
  onAgain: () => void;
  onClose: () => void;
}) {
  const [mode, setMode] = useState<ImportMode>('add');
  const [done, setDone] = useState(0);
  const run = useImport(table.id, setDone);
  const fresh = read.rows.filter(({ identity }) => !read.there.has(identity));
  const rows = mode === 'add' ? fresh : read.rows;
  const refused = mode === 'add' ? [...read.refused, ...thereAlready(read)] : read.refused;
  if (run.data) return <Done result={run.data} refused={refused} onClose={onClose} />;
  return (
    <div className="flex flex-col gap-4">
      <p className="break-words">
        <b>{read.file}</b>: {numberText(fresh.length)} new, {numberText(read.rows.length - fresh.length)} already there,{' '}
        {numberText(read.refused.length)} not readable.
      </p>
      <Select
        label="What to do"
        options={modes}
        value={mode}
        disabled={run.isPending}
        onChange={({ target }) => setMode(target.value as ImportMode)}
      />
      <Refused rows={refused} />
      {run.error && <ErrorNote error={run.error} />}
      {run.isPending && <Progress done={done} of={rows.length} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CallShown call={shownCall(table, mode, rows)} />
        <div className="flex gap-2">
          <Button onClick={onAgain} disabled={run.isPending}>
            Another file
          </Button>
          <Button
            look="primary"
            needs="svc.resource.use"
            disabled={rows.length === 0}
            busy={run.isPending}
            onClick={() => run.mutate({ rows, mode })}
          >
            Import {numberText(rows.length)} {rows.length === 1 ? 'row' : 'rows'}
          </Button>
        </div>
      </div>
    </div>
  );
}

function thereAlready({ rows, there }: ReadFile): RefusedRow[] {
  return rows
    .filter(({ identity }) => there.has(identity))
    .map(({ line, identity }) => ({ line, reason: `a row ${identity} is there already` }));
}

/** The call with the first of the rows: the real one has up to 1,000. */
function shownCall(table: Table, mode: ImportMode, rows: readonly PlannedRow[]) {
  const first = (rows[0]?.data ?? {}) as Record<string, never>;
  return mode === 'add'
    ? call('tables', 'bulkCreateTableRows', table.id, { rows: [first] })
    : call('tables', 'upsertRow', table.id, { data: first });
}

function useImport(
  tableId: string,
  onDone: (count: number) => void,
): UseMutationResult<ImportResult, Error, { rows: readonly PlannedRow[]; mode: ImportMode }> {
  const svc = useService();
  const client = useQueryClient();
  const stopping = useRef<AbortController>(null);
  useEffect(() => () => stopping.current?.abort(), []);
  return useMutation({
    mutationFn: ({ rows, mode }: { rows: readonly PlannedRow[]; mode: ImportMode }) => {
      const stop = new AbortController();
      stopping.current = stop;
      return importRows(svc, tableId, rows, mode, stop.signal, onDone);
    },
    onSettled: () => void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'tables' }),
  });
}

function Progress({ done, of }: { done: number; of: number }) {
  return (
    <label className="flex flex-col gap-1 text-xs">
      {numberText(done)} of {numberText(of)} rows
      <progress className="accent-accent w-full" value={done} max={of} />
    </label>
  );
}

function Refused({ rows }: { rows: readonly RefusedRow[] }) {
  if (rows.length === 0) return null;
  const sorted = [...rows].sort((a, b) => a.line - b.line);
  return (
    <section aria-label="Rows that are left out" className="flex flex-col gap-1">
      <h3 className="text-xs font-medium">{numberText(rows.length)} rows are left out</h3>
      <ul tabIndex={0} aria-label="Reasons" className="bg-sunken max-h-56 overflow-y-auto rounded-md px-3 py-2 text-xs">
        {sorted.slice(0, refusedShown).map(({ line, reason }) => (
          <li key={line} className="break-words">
            <span className="text-muted">line {line}:</span> {reason}
          </li>
        ))}
        {sorted.length > refusedShown && (
          <li className="text-muted">and {numberText(sorted.length - refusedShown)} more</li>
        )}
      </ul>
    </section>
  );
}

function Done({
  result,
  refused,
  onClose,
}: {
  result: ImportResult;
  refused: readonly RefusedRow[];
  onClose: () => void;
}) {
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="font-medium">
        {numberText(result.written)} {result.written === 1 ? 'row was' : 'rows were'} written.
      </p>
      <Refused rows={[...refused, ...result.refused]} />
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}
