import { useMemo } from 'react';
import { Card, Chart, numberText, type Series } from '../../ui';
import { sumsOfDays, type UsageEvent } from './usage-sums';

const daySeconds = 24 * 3600;
const count = (value: number | null): string => (value === null ? 'none' : numberText(value, true));

/** Tokens of each day. */
export function UsageByDay({ rows, starts }: { rows: readonly UsageEvent[]; starts: readonly Date[] }) {
  const times = useMemo(() => starts.map((start) => start.getTime() / 1000), [starts]);
  const series = useMemo((): Series[] => {
    const sums = sumsOfDays(rows, starts);
    return [
      { name: 'input today', colour: 'info', bars: true, values: sums.map(({ input }) => input) },
      { name: 'output today', colour: 'good', bars: true, values: sums.map(({ output }) => output) },
    ];
  }, [rows, starts]);
  return (
    <Card title="Tokens a day">
      <Chart label="Tokens a day" times={times} series={series} format={count} spanSeconds={daySeconds} height={168} />
    </Card>
  );
}
