import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { Schema } from '@aos/client';
import { classes, durationText, numberText } from '../../ui';

type Minute = Schema<'OverviewMinute'>;

/** The last hour in a few numbers. */
export function Totals({ minutes, waiting }: { minutes: readonly Minute[] | null; waiting: number }) {
  const sum = (of: (minute: Minute) => number): number => (minutes ?? []).reduce((all, minute) => all + of(minute), 0);
  const turns = sum((minute) => minute.turns);
  const failed = sum((minute) => minute.failed);
  const slowest = Math.max(0, ...(minutes ?? []).map(({ p95_ms: ms }) => ms ?? 0));
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
      <Total name="Waiting for you" tone={waiting > 0 ? 'warn' : null}>
        <Link to="/questions" className="after:absolute after:inset-0">
          {numberText(waiting)}
        </Link>
      </Total>
      {minutes && (
        <>
          <Total name="Turns, last hour">{numberText(turns)}</Total>
          <Total name="Failed" tone={failed > 0 ? 'bad' : null} more={turns > 0 ? percent(failed / turns) : undefined}>
            {numberText(failed)}
          </Total>
          <Total name="Tokens in / out">
            {numberText(
              sum((minute) => minute.input_tokens),
              true,
            )}
            <span className="text-muted"> / </span>
            {numberText(
              sum((minute) => minute.output_tokens),
              true,
            )}
          </Total>
          <Total name="Slowest minute, p95">{slowest > 0 ? durationText(slowest) : 'none'}</Total>
        </>
      )}
    </dl>
  );
}

const percentText = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const percent = (share: number): string => percentText.format(share);

function Total({
  name,
  tone = null,
  more,
  children,
}: {
  name: string;
  tone?: 'warn' | 'bad' | null;
  more?: string;
  children: ReactNode;
}) {
  return (
    <div className="border-line bg-surface relative flex max-sm:last:col-span-2 flex-col gap-0.5 rounded-lg border px-4 py-3">
      <dt className="text-muted text-xs">{name}</dt>
      <dd
        className={classes(
          'text-2xl font-semibold tabular-nums',
          tone === 'warn' && 'text-warn',
          tone === 'bad' && 'text-bad',
        )}
      >
        {children}
        {more !== undefined && <span className="text-muted pl-2 text-xs font-normal">{more}</span>}
      </dd>
    </div>
  );
}
