import { lazy, Suspense } from 'react';
import { loaded } from '../page-loading';
import type { ChartProps } from './plot/props';

const Plot = lazy(() => loaded(() => import('./plot/plot')));

/** Lines over time. Its newest values stand as text beside its title, so that no reader needs the picture. */
export function Chart(props: ChartProps) {
  const height = props.height ?? 132;
  return (
    <figure className="flex min-w-0 flex-col gap-2" aria-label={props.label}>
      <figcaption className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
        {props.series.map(({ name, colour, values }) => (
          <span key={name} className="text-muted inline-flex items-center gap-1.5 text-xs">
            <span aria-hidden="true" className="h-0.5 w-3 rounded-full" style={{ background: `var(--${colour})` }} />
            {name}
            <span className="text-text font-medium tabular-nums">{props.format(values.at(-1) ?? null)}</span>
          </span>
        ))}
      </figcaption>
      <div style={{ height }}>
        <Suspense fallback={<div className="skeleton h-full" />}>
          <Plot {...props} height={height} />
        </Suspense>
      </div>
    </figure>
  );
}
