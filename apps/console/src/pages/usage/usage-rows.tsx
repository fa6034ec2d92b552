import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { SessionLink } from '../../names/name';
import { CallShown, EmptyState, numberText, Select, Table, Time, type Column } from '../../ui';
import { creditsText } from './credits-text';
import { counters, counterText, type UsageEvent } from './usage-sums';

const columnsWith = (hasCost: boolean): readonly Column<UsageEvent>[] => [
  {
    title: 'Session',
    cell: ({ source_id: id, source_type: type }) =>
      type === 'session' && id !== '' ? (
        <SessionLink id={id} wholeRow />
      ) : (
        <span className="text-muted">{id === '' ? 'out of reach' : id}</span>
      ),
  },
  { title: 'Counts', wideOnly: true, cell: ({ counter }) => counterText(counter) },
  { title: 'Quantity', align: 'right', cell: ({ raw_quantity: quantity }) => numberText(quantity) },
  { title: 'Model', wideOnly: true, cell: ({ model }) => <bdi>{model}</bdi> },
  ...(hasCost
    ? [
        {
          title: 'Cost',
          align: 'right' as const,
          cell: ({ credit_cost_milli: milli }: UsageEvent) => (milli > 0 ? creditsText(milli) : ''),
        },
      ]
    : []),
  { title: 'When', cell: ({ recorded_at: at }) => <Time at={at} /> },
];

/** The rows that usage is counted from, newest first. */
export function UsageRows() {
  const [{ counter = '' }, setFilters] = useFilters();
  const rows = useRows(call('billing', 'listUsageEvents', { ...(counter && { counter }), limit: 50 }));
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Select
          label="Counts"
          className="w-56"
          value={counter}
          options={[
            { value: '', label: 'Anything' },
            ...counters.map((value) => ({ value, label: counterText(value) })),
          ]}
          onChange={({ target }) => setFilters({ counter: target.value })}
        />
        <CallShown call={rows.call} />
      </div>
      <Table
        label="Rows"
        list={rows}
        rowKey={({ id }) => id}
        columns={columnsWith(rows.rows.some(({ credit_cost_milli: milli }) => milli > 0))}
        empty={
          <EmptyState icon="usage" title="No rows">
            Each model call leaves a row for each counter: input, output, and what the cache read and wrote.
          </EmptyState>
        }
      />
    </div>
  );
}
