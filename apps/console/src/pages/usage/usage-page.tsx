import { useMemo } from 'react';
import { useFilters } from '../../api/filters';
import { Button, ItemView, Page, Select, Tabs, Time } from '../../ui';
import { UsageByDay } from './usage-by-day';
import { UsageGroups } from './usage-groups';
import { UsageRows } from './usage-rows';
import { UsageTotals } from './usage-totals';
import { daysUpTo } from './usage-sums';
import { useUsage, type Usage } from './use-usage';

const ranges = ['7', '30', '90'];
const daysDefault = '30';

/** What models were asked and what they answered, by day, agent, model and key. */
export default function UsagePage() {
  const [{ days = daysDefault, view = 'sums' }, setFilters] = useFilters();
  const count = ranges.includes(days) ? Number(days) : Number(daysDefault);
  const today = new Date().toDateString(); // the days are the same until midnight
  const starts = useMemo(() => daysUpTo(new Date(today), count), [today, count]);
  const since = (starts[0] as Date).toISOString();
  const usage = useUsage(since);
  return (
    <Page
      title="Usage"
      call={usage.call}
      actions={
        <Button icon="refresh" busy={usage.isFetching} onClick={() => void usage.refetch()}>
          Look again
        </Button>
      }
    >
      <Tabs
        label="Views of the usage"
        value={view}
        onChange={(next) => setFilters({ view: next === 'sums' ? '' : next })}
        tabs={[
          {
            value: 'sums',
            label: 'Sums',
            content: (
              <div className="flex flex-col gap-5">
                <Select
                  label="Time"
                  className="w-44"
                  value={String(count)}
                  options={ranges.map((value) => ({ value, label: `The last ${value} days` }))}
                  onChange={({ target }) => setFilters({ days: target.value === daysDefault ? '' : target.value })}
                />
                <ItemView item={usage}>{(value) => <Sums usage={value} starts={starts} />}</ItemView>
              </div>
            ),
          },
          { value: 'rows', label: 'Rows', content: <UsageRows /> },
        ]}
      />
    </Page>
  );
}

function Sums({ usage, starts }: { usage: Usage; starts: readonly Date[] }) {
  const { total, rows, isCut } = usage;
  const oldest = rows.at(-1);
  return (
    <div className="flex flex-col gap-5">
      <UsageTotals total={total} />
      {isCut && oldest && (
        <p className="bg-info-soft text-info rounded-md px-3 py-2">
          The totals are of the whole time. What stands below is of the newest {rows.length.toLocaleString()} rows,
          since <Time at={oldest.recorded_at} form="whole" />.
        </p>
      )}
      <UsageByDay rows={rows} starts={starts} />
      <UsageGroups rows={rows} />
    </div>
  );
}
