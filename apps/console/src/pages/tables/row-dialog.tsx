import { useState } from 'react';
import type { JsonObject, SourceEvent } from '@aos/client';
import { call } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { useItem, useRows } from '../../api/hooks';
import {
  Badge,
  Button,
  CallShown,
  DestroyByName,
  Dialog,
  ErrorNote,
  Facts,
  Id,
  ItemView,
  Skeleton,
  Tabs,
  Time,
} from '../../ui';
import { changesOf, useDraft } from '../definitions/use-draft';
import { JsonForm } from '../definitions/json-form';
import { identityOf, type Table, type TableRow } from './table-body';

/** One row: its data as JSON, what changed it, and its deletion. */
export function RowDialog({ table, id, onClose }: { table: Table; id: string; onClose: () => void }) {
  const row = useItem(call('tables', 'getRow', table.id, id));
  return (
    <Dialog open onClose={onClose} title={row.data ? identityOf(table, row.data) : 'Row'} wide>
      <ItemView item={row}>
        {(value) => (
          <>
            <Facts
              facts={[
                ['Row', <Id key="id" value={value.id} />],
                ['Version', `${value.version}`],
                ['Changed', <Time key="changed" at={value.updated_at} />],
              ]}
            />
            <Tabs
              label="Views of the row"
              tabs={[
                { value: 'data', label: 'Data', content: <RowData table={table} row={value} onClose={onClose} /> },
                { value: 'history', label: 'History', content: <History rowId={value.id} /> },
              ]}
            />
          </>
        )}
      </ItemView>
    </Dialog>
  );
}

function RowData({ table, row, onClose }: { table: Table; row: TableRow; onClose: () => void }) {
  const draft = useDraft<JsonObject>(row.data);
  const [faults, setFaults] = useState(0);
  const [isDeleting, setDeleting] = useState(false);
  const changes = withNulls(row.data, changesOf(row.data, draft.body), draft.body);
  const updating = call('tables', 'updateRow', table.id, row.id, { data: changes, version: row.version });
  const save = useCheckedWrite('UpdateRowRequest', (_: { data: JsonObject; version: number }) => updating, {
    done: 'Saved',
  });
  const removing = call('tables', 'deleteRow', table.id, row.id);
  return (
    <div className="flex flex-col gap-3">
      <JsonForm label="Data" body={draft.body} onChange={draft.replace} onFaults={setFaults} />
      {save.error && <ErrorNote error={save.error} />}
      {save.faultAt('data') && <p className="text-bad text-xs">{save.faultAt('data')}</p>}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Button icon="trash" needs={removing} onClick={() => setDeleting(true)}>
          Delete…
        </Button>
        <div className="flex gap-2">
          <CallShown call={updating} />
          <Button
            look="primary"
            needs={updating}
            disabled={!draft.isChanged || faults > 0}
            busy={save.isPending}
            onClick={() => save.submit({ data: changes, version: row.version })}
          >
            Save row
          </Button>
        </div>
      </div>
      <DestroyByName
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this row"
        name={identityOf(table, row)}
        consequence="Its values are lost. An event says that it was deleted, and holds them."
        call={removing}
        done="The row was deleted"
        onDone={onClose}
      />
    </div>
  );
}

/** A change merges into a row: a member that was taken away is set to no value. */
function withNulls(before: JsonObject, changes: Partial<JsonObject>, after: JsonObject): JsonObject {
  const gone = Object.keys(before).filter((name) => !(name in after));
  return { ...(changes as JsonObject), ...Object.fromEntries(gone.map((name) => [name, null])) };
}

const shownMax = 20;

/** The row's events, newest first, as long as the service keeps them. */
function History({ rowId }: { rowId: string }) {
  const events = useRows(
    call('events', 'list', { source_kind: 'table_row', source_id: rowId, order: 'desc', limit: shownMax }),
  );
  if (events.error) return <ErrorNote error={events.error} onRetry={events.reload} />;
  if (events.isPending) return <Skeleton lines={4} />;
  if (events.rows.length === 0) return <p className="text-muted">No event of this row is kept any more.</p>;
  const newest = [...events.rows].reverse();
  return (
    <ol aria-label="Changes of the row" className="flex flex-col gap-3">
      {newest.map((event) => (
        <Change key={event.meta.id} event={event} />
      ))}
    </ol>
  );
}

function Change({ event }: { event: SourceEvent }) {
  const {
    data = {},
    previous_data: before = {},
    changed_columns: changed = [],
    actor_id: actor,
  } = event.event as {
    data?: JsonObject;
    previous_data?: JsonObject;
    changed_columns?: string[];
    actor_id?: string | null;
  };
  return (
    <li className="border-line border-l-2 pl-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge>{event.event_type.replace('table.row.', '')}</Badge>
        <Time at={event.meta.occurred_at} />
        {typeof actor === 'string' && <Id value={actor} short />}
      </p>
      {changed.map((name) => (
        <p key={name} className="text-xs break-words">
          <span className="text-muted">{name}:</span>{' '}
          <del className="text-bad">{JSON.stringify(before[name] ?? null)}</del>{' '}
          <ins className="text-good no-underline">{JSON.stringify(data[name] ?? null)}</ins>
        </p>
      ))}
    </li>
  );
}
