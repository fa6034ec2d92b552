import { useEffect, useRef, useState } from 'react';
import type { AgentService, Pages, RequestBody } from '@aos/client';
import { call, carryOut, type ApiCall } from '../../api/call';
import { useService } from '../../api/hooks';
import { saveFile } from '../../api/save-file';
import { Button, CallShown, Dialog, ErrorNote, numberText } from '../../ui';
import { textOfValue } from './cell-values';
import { csvText, withoutFormula } from './csv';
import type { Table, TableRow } from './table-body';

type Asked = RequestBody<'queryTableRows'>;

const rowsMax = 100_000;

/** Reads the rows of the filter and gives them as a file. */
export function CsvExport({
  table,
  asked,
  q,
  onClose,
}: {
  table: Table;
  asked: Asked;
  /** The words that rows are searched by; none when empty. */
  q: string;
  onClose: () => void;
}) {
  const svc = useService();
  const of =
    q === ''
      ? call('tables', 'queryRows', table.id, asked)
      : call('tables', 'searchRows', table.id, { query: q, filter: asked.filter, limit: asked.limit ?? 100 });
  const [read, setRead] = useState<number | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const stopping = useRef<AbortController>(null);
  useEffect(() => () => stopping.current?.abort(), []);
  const start = async (): Promise<void> => {
    const stop = new AbortController();
    stopping.current = stop;
    setError(null);
    setNote(null);
    setRead(0);
    try {
      const { rows, isCut } = await readRows(svc, of, stop.signal, setRead);
      saveFile(new Blob([csvOf(table, rows)], { type: 'text/csv;charset=utf-8' }), `${table.name}.csv`);
      setNote(`${numberText(rows.length)} rows were written.${isCut ? ' The table has more: narrow the filter.' : ''}`);
    } catch (failure) {
      if (stop.signal.aborted) return;
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
    setRead(null);
  };
  const isFiltered = q !== '' || Object.keys(asked.filter ?? {}).length > 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Export rows as CSV"
      description={`${isFiltered ? 'The rows that are searched and filtered for' : 'All rows'}, up to ${numberText(rowsMax)}. A text that a spreadsheet would take for a formula gets an apostrophe before it; an import takes it away.`}
    >
      <p aria-live="polite" className="text-muted empty:hidden">
        {read !== null ? `${numberText(read)} rows read…` : note}
      </p>
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CallShown call={of} />
        <div className="flex gap-2">
          <Button onClick={onClose}>{note === null ? 'Cancel' : 'Close'}</Button>
          <Button look="primary" icon="download" busy={read !== null} onClick={() => void start()}>
            Export
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

async function readRows(
  svc: AgentService,
  of: ApiCall<Pages<TableRow, { items: TableRow[]; has_more: boolean }>>,
  signal: AbortSignal,
  onRead: (count: number) => void,
): Promise<{ rows: TableRow[]; isCut: boolean }> {
  const rows: TableRow[] = [];
  for await (const page of carryOut(svc, of, signal).pages()) {
    rows.push(...page.items);
    onRead(rows.length);
    if (rows.length >= rowsMax) return { rows: rows.slice(0, rowsMax), isCut: page.has_more || rows.length > rowsMax };
  }
  return { rows, isCut: false };
}

/** A line of names, then a line for each row; an open table has the further members of its rows at the end. */
function csvOf(table: Table, rows: readonly TableRow[]): string {
  const declared = table.schema.columns.map(({ name, type }) => ({ name, type }));
  const known = new Set(declared.map(({ name }) => name));
  const further = [...new Set(rows.flatMap(({ data }) => Object.keys(data)))].filter((name) => !known.has(name)).sort();
  const columns = [...declared, ...further.map((name) => ({ name, type: 'any' as const }))];
  const head = columns.map(({ name }) => withoutFormula(name));
  const lines = rows.map(({ data }) =>
    columns.map(({ name, type }) => {
      const value = data[name];
      const text = textOfValue(value, type);
      return typeof value === 'number' ? text : withoutFormula(text); // a number is no formula
    }),
  );
  return csvText([head, ...lines]);
}
