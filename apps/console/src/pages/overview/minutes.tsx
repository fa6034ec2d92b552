import { useMemo } from 'react';
import type { Schema } from '@aos/client';
import { Card, Chart, durationText, numberText, type Series } from '../../ui';

type Minute = Schema<'OverviewMinute'>;

const count = (value: number | null): string => (value === null ? 'none' : numberText(value, true));
const duration = (value: number | null): string => (value === null ? 'none' : durationText(value));

/** Turns, tokens and latency of each of the last 60 minutes. */
export function Minutes({ minutes }: { minutes: readonly Minute[] }) {
  const times = useMemo(() => minutes.map(({ at }) => Date.parse(at) / 1000), [minutes]);
  const series = useMemo(() => seriesOf(minutes), [minutes]);
  return (
    <div className="grid gap-5 lg:grid-cols-3">
      <Card title="Turns a minute">
        <Chart label="Turns a minute" times={times} series={series.turns} format={count} />
      </Card>
      <Card title="Tokens a minute">
        <Chart label="Tokens a minute" times={times} series={series.tokens} format={count} />
      </Card>
      <Card title="Time of a turn">
        <Chart label="Time of a turn" times={times} series={series.latency} format={duration} />
      </Card>
    </div>
  );
}

function seriesOf(minutes: readonly Minute[]): Record<'turns' | 'tokens' | 'latency', Series[]> {
  const values = (of: (minute: Minute) => number | null): (number | null)[] => minutes.map(of);
  return {
    turns: [
      { name: 'ended', colour: 'accent', bars: true, values: values(({ turns }) => turns) },
      { name: 'failed', colour: 'bad', bars: true, values: values(({ failed }) => failed) },
    ],
    tokens: [
      { name: 'in', colour: 'info', bars: true, values: values(({ input_tokens: tokens }) => tokens) },
      { name: 'out', colour: 'good', bars: true, values: values(({ output_tokens: tokens }) => tokens) },
    ],
    latency: [
      { name: 'p50', colour: 'accent', values: values(({ p50_ms: ms }) => ms) },
      { name: 'p95', colour: 'warn', values: values(({ p95_ms: ms }) => ms) },
    ],
  };
}
