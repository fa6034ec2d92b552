import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { useAgain } from '../../api/use-again';
import type { Schema } from '@aos/client';
import { PrincipalName, SessionLink } from '../../names/name';
import { EmptyState, Select, Status, Table, Time, durationText, type Column } from '../../ui';
import type { Routine } from './routine-draft';

type Occurrence = Schema<'RoutineOccurrence'>;

const statuses = ['pending', 'admitted', 'completed', 'failed', 'skipped', 'missed'] as const;
const lookAgainMs = 3_000;

const columns: readonly Column<Occurrence>[] = [
  { title: 'Run', cell: (run) => <RunLink of={run} /> },
  { title: 'Status', cell: ({ status }) => <Status value={status} /> },
  { title: 'Set off by', wideOnly: true, cell: (run) => <Cause of={run} /> },
  {
    title: 'Late by',
    align: 'right',
    wideOnly: true,
    cell: ({ lateness_milliseconds: late, trigger }) => (trigger === 'schedule' ? durationText(late) : ''),
  },
];

/** The runs of a routine, newest first, each leading to its session. */
export function Occurrences({ of }: { of: Routine }) {
  const [{ run_status: status = '' }, setFilters] = useFilters();
  const runs = useRows(
    call('routines', 'listOccurrences', { routine_id: of.id, ...(status && { status: [status] }), limit: 50 }),
  );
  // The end of a run that was skipped or failed leaves no event.
  const isUnderWay = runs.rows.some((run) => run.status === 'pending' || run.status === 'admitted');
  useAgain(isUnderWay, runs.reload, lookAgainMs);
  return (
    <div className="flex flex-col gap-4">
      <Select
        label="Status of the run"
        className="w-44"
        value={status}
        options={[{ value: '', label: 'Any' }, ...statuses.map((value) => ({ value, label: value }))]}
        onChange={({ target }) => setFilters({ run_status: target.value })}
      />
      <Table
        label="Runs"
        list={runs}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <EmptyState icon="clock" title={status === '' ? 'It has not run yet' : 'No such run'}>
            Its first run is listed here when it comes due, or at once by “Run now”.
          </EmptyState>
        }
      />
    </div>
  );
}

function RunLink({
  of: { session_id: session, scheduled_at: at, error_message: message, error_code: code },
}: {
  of: Occurrence;
}) {
  const when = <Time at={at} form="whole" />;
  return (
    <>
      {session ? (
        <SessionLink id={session} wholeRow>
          {when}
        </SessionLink>
      ) : (
        when
      )}
      {(message ?? code) && (
        <span dir="auto" className="text-bad block truncate text-xs font-normal" title={message ?? code}>
          {message ?? code}
        </span>
      )}
    </>
  );
}

function Cause({ of: { trigger, triggered_by: by, event_type: type } }: { of: Occurrence }) {
  if (trigger === 'manual') return by ? <PrincipalName id={by} /> : <>by hand</>;
  if (trigger === 'event') return <code className="font-mono text-xs">{type ?? 'event'}</code>;
  return <>schedule</>;
}
