import type { ReactNode } from 'react';
import { numberText } from '../../ui';
import { creditsText } from './credits-text';
import type { UsageSum } from './usage-sums';

/** The whole time in a few numbers. What costs nothing has no price. */
export function UsageTotals({ total }: { total: UsageSum }) {
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Total name="Input tokens">{numberText(total.input)}</Total>
      <Total name="Output tokens">{numberText(total.output)}</Total>
      <Total name="Read from the cache">{numberText(total.cacheRead)}</Total>
      <Total name="Written to the cache">{numberText(total.cacheWritten)}</Total>
      {total.milliCredits > 0 && <Total name="Cost">{creditsText(total.milliCredits)}</Total>}
    </dl>
  );
}

function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="border-line bg-surface flex flex-col gap-0.5 rounded-lg border px-4 py-3">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="text-2xl font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
