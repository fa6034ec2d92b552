import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import {
  CallShown,
  Card,
  Dialog,
  durationText,
  EmptyState,
  Facts,
  Id,
  JsonView,
  Select,
  Status,
  Table,
  Time,
} from '../../ui';

type Run = Schema<'ActionInvocationEntry'>;

const statuses = ['', 'success', 'failed', 'cancelled'].map((value) => ({ value, label: value || 'Any status' }));

/** Runs of an action that ended, newest first. */
export function ActionRuns({ action }: { action: string }) {
  const [{ run_status: status = '' }, setFilters] = useFilters();
  const runs = useRows(
    call('actionInvocations', 'list', { action_name: action, status: status === '' ? undefined : status, limit: 20 }),
  );
  const [shown, setShown] = useState<Run | null>(null);
  return (
    <Card
      title="Runs"
      flush
      actions={
        <div className="flex items-center gap-1">
          <CallShown call={runs.call} />
          <Select
            label="Status of runs"
            hideLabel
            className="w-32"
            options={statuses}
            value={status}
            onChange={({ target }) => setFilters({ run_status: target.value })}
          />
        </div>
      }
    >
      <Table
        label="Runs"
        bare
        list={runs}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Ended',
            cell: (run) => (
              <button type="button" className="after:absolute after:inset-0" onClick={() => setShown(run)}>
                <Time at={run.finished_at} />
              </button>
            ),
          },
          { title: 'Status', cell: (run) => <Status value={run.status} /> },
          {
            title: 'Took',
            align: 'right',
            wideOnly: true,
            cell: (run) => durationText(Date.parse(run.finished_at) - Date.parse(run.started_at)),
          },
          { title: 'By', wideOnly: true, cell: ({ source }) => source.replace(/_/g, ' ') },
        ]}
        empty={
          <EmptyState icon="action" title={status === '' ? 'It did not run yet' : 'No run has this status'}>
            Runs by agents and by this page appear here when they end.
          </EmptyState>
        }
      />
      {shown && <RunShown run={shown} onClose={() => setShown(null)} />}
    </Card>
  );
}

function RunShown({ run, onClose }: { run: Run; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Run" wide>
      <Facts
        facts={[
          ['Status', <Status key="status" value={run.status} />],
          ['Began', <Time key="began" at={run.started_at} form="whole" />],
          ['Took', durationText(Date.parse(run.finished_at) - Date.parse(run.started_at))],
          ['Repeats', String(run.retry_count)],
          run.http_status === undefined ? null : ['HTTP status', String(run.http_status)],
          run.session_id === undefined
            ? null
            : [
                'Session',
                <Link key="session" to={`/sessions/${run.session_id}`} className="text-accent underline">
                  {run.session_id}
                </Link>,
              ],
          run.delivery_id === undefined ? null : ['Delivery', <Id key="delivery" value={run.delivery_id} />],
          run.error_message === undefined
            ? null
            : [
                'Error',
                <span key="error" className="text-bad">
                  {run.error_message}
                </span>,
              ],
        ]}
      />
      {run.parameters !== undefined && <JsonView label="Input" value={run.parameters} />}
      {run.output_summary !== undefined && <JsonView label="Output" value={run.output_summary} />}
    </Dialog>
  );
}
