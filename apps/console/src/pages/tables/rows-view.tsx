import { useState } from 'react';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { Button, CallShown, EmptyState, ErrorNote, LacksNote, numberText, Skeleton } from '../../ui';
import { SearchField } from '../definitions/search-field';
import { CsvExport } from './csv-export';
import { CsvImport } from './csv-import';
import { FilterBar } from './filter-bar';
import { NewRow } from './new-row';
import { RowDialog } from './row-dialog';
import { RowGrid } from './row-grid';
import { filterFrom, nextSort, sortFrom } from './row-filters';
import type { Table } from './table-body';

const pageRows = 100;

/** The rows of a table. Filter, order, search and the open row stand in the address. */
export function RowsView({ table }: { table: Table }) {
  const [{ filter: filterText, sort: sortText, q = '', row: openRow = '' }, setFilters] = useFilters();
  const [open, setOpen] = useState<'new' | 'import' | 'export' | null>(null);
  const filter = filterFrom(filterText) as Record<string, never>;
  const sort = sortFrom(sortText);
  const asked = { filter, ...(sort ? { sort: [sort] } : {}), limit: pageRows };
  const rows = useRows(
    q === ''
      ? call('tables', 'queryRows', table.id, asked)
      : call('tables', 'searchRows', table.id, { query: q, filter, limit: pageRows }),
  );
  const isFiltered = q !== '' || Object.keys(filter).length > 0;
  const close = (): void => setOpen(null);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label="Search the rows" value={q} onChange={(text) => setFilters({ q: text })} className="w-56" />
        <FilterBar
          columns={table.schema.columns}
          filter={filter}
          onChange={(next) => setFilters({ filter: Object.keys(next).length === 0 ? '' : JSON.stringify(next) })}
        />
        <span className="flex-1" />
        <CallShown call={rows.call} label="Rows call" />
        <Button icon="download" onClick={() => setOpen('export')}>
          Export
        </Button>
        <Button needs="svc.resource.use" onClick={() => setOpen('import')}>
          Import
        </Button>
        <Button look="primary" icon="plus" needs="svc.resource.use" onClick={() => setOpen('new')}>
          New row
        </Button>
      </div>
      {rows.lacks !== null && <LacksNote permission={rows.lacks} />}
      {rows.error && <ErrorNote error={rows.error} onRetry={rows.reload} />}
      {rows.isPending && rows.error === null && rows.lacks === null && <Skeleton lines={8} />}
      {!rows.isPending && rows.rows.length === 0 && <NoRows isFiltered={isFiltered} onNew={() => setOpen('new')} />}
      {rows.rows.length > 0 && (
        <>
          <RowGrid
            table={table}
            rows={rows}
            sort={q === '' ? sort : null}
            onSort={q === '' ? (field) => setFilters({ sort: nextSort(sort, field) }) : null}
            onOpen={(id) => setFilters({ row: id })}
          />
          <p className="text-muted text-xs">
            {numberText(rows.rows.length)} {rows.hasMore ? 'rows loaded; more load as you scroll.' : 'rows.'} Enter
            edits a cell, Escape leaves it as it was.
          </p>
        </>
      )}
      {open === 'new' && <NewRow table={table} onClose={close} />}
      {open === 'import' && <CsvImport table={table} onClose={close} />}
      {open === 'export' && <CsvExport table={table} asked={asked} q={q} onClose={close} />}
      {openRow !== '' && <RowDialog table={table} id={openRow} onClose={() => setFilters({ row: '' })} />}
    </div>
  );
}

function NoRows({ isFiltered, onNew }: { isFiltered: boolean; onNew: () => void }) {
  return (
    <div className="border-line bg-surface rounded-lg border">
      {isFiltered ? (
        <EmptyState icon="table" title="No row fits">
          Take a filter or a word away to see more.
        </EmptyState>
      ) : (
        <EmptyState
          icon="table"
          title="No rows yet"
          action={
            <Button look="primary" icon="plus" needs="svc.resource.use" onClick={onNew}>
              New row
            </Button>
          }
        >
          Write one here, or import a CSV file.
        </EmptyState>
      )}
    </div>
  );
}
