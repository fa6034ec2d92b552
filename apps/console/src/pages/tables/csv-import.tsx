import { useEffect, useRef, useState, type ChangeEvent, type DragEvent } from 'react';
import type { AgentService } from '@aos/client';
import { useService } from '../../api/hooks';
import { Button, classes, Dialog, ErrorNote, numberText } from '../../ui';
import { readCsv } from './csv';
import { ImportPreview, type ReadFile } from './import-preview';
import { planOf } from './import-plan';
import { identitiesThere } from './row-import';
import type { Table } from './table-body';

const bytesMax = 8 * 1024 * 1024;
const rowsMax = 10_000;

/** Reads a CSV file, shows what an import would do, and does it. */
export function CsvImport({ table, onClose }: { table: Table; onClose: () => void }) {
  const svc = useService();
  const [read, setRead] = useState<ReadFile | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isReading, setReading] = useState(false);
  const stopping = useRef<AbortController>(null);
  useEffect(() => {
    const stop = new AbortController();
    stopping.current = stop;
    return () => stop.abort();
  }, []);
  const take = async (file: File): Promise<void> => {
    const { signal } = stopping.current ?? new AbortController();
    setError(null);
    setReading(true);
    try {
      setRead(await readFile(svc, table, file, signal));
    } catch (failure) {
      if (!signal.aborted) setError(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      setReading(false);
    }
  };
  return (
    <Dialog open onClose={onClose} title="Import rows from CSV" wide>
      {read === null ? (
        <Drop table={table} isReading={isReading} onFile={(file) => void take(file)} />
      ) : (
        <ImportPreview table={table} read={read} onAgain={() => setRead(null)} onClose={onClose} />
      )}
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}

async function readFile(svc: AgentService, table: Table, file: File, signal: AbortSignal): Promise<ReadFile> {
  if (file.size > bytesMax) throw new RangeError(`The file has more than ${bytesMax / 1024 / 1024} MiB.`);
  const plan = planOf(readCsv(await file.text(), rowsMax + 1), table.schema);
  const identity = table.schema.identity_column;
  const there = await identitiesThere(svc, { id: table.id, identity }, plan.rows, signal);
  return { ...plan, file: file.name, there };
}

function Drop({ table, isReading, onFile }: { table: Table; isReading: boolean; onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classes(
        'flex flex-col items-center gap-2 rounded-lg border border-dashed px-4 py-10 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
    >
      <p className="font-medium">Drop a CSV file here</p>
      <p className="text-muted max-w-md text-xs">
        Its first line names columns, {table.schema.identity_column} among them. Up to {numberText(rowsMax)} rows and{' '}
        {bytesMax / 1024 / 1024} MiB. Nothing is written before you have seen what would be.
      </p>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        aria-label="CSV file"
        className="sr-only"
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => {
          const [file] = target.files ?? [];
          if (file) onFile(file);
          target.value = '';
        }}
      />
      <Button busy={isReading} onClick={() => input.current?.click()}>
        {isReading ? 'Reading…' : 'Choose a file'}
      </Button>
    </div>
  );
}
