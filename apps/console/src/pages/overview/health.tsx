import type { Schema } from '@aos/client';
import { Badge, Card, durationText } from '../../ui';

const slowMs = 1_000;

/** What is not ready, and which readers of the log are behind. */
export function Health({ notReady, lag }: { notReady: readonly string[]; lag: readonly Schema<'OverviewLag'>[] }) {
  const behind = lag.filter(({ ms }) => ms > 0).sort((a, b) => b.ms - a.ms);
  return (
    <Card
      title="Health"
      actions={
        <Badge tone={notReady.length === 0 ? 'good' : 'bad'}>{notReady.length === 0 ? 'ready' : 'not ready'}</Badge>
      }
    >
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-2">
          <h3 className="text-muted text-xs font-medium">Not ready</h3>
          {notReady.length === 0 && <p>Everything answers.</p>}
          <ul className="flex flex-col gap-1.5">
            {notReady.map((what) => (
              <li key={what} className="text-bad break-words">
                {what}
              </li>
            ))}
          </ul>
        </div>
        <div className="flex min-w-0 flex-col gap-2">
          <h3 className="text-muted text-xs font-medium">Behind the log</h3>
          {behind.length === 0 && <p>None of {lag.length} projections and relays is behind.</p>}
          <ul className="flex flex-col gap-1.5">
            {behind.slice(0, 12).map(({ name, ms }) => (
              <li key={name} className="flex items-center justify-between gap-3">
                <span className="min-w-0 truncate">{name}</span>
                <Badge tone={ms >= slowMs ? 'warn' : 'neutral'}>{durationText(ms)}</Badge>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Card>
  );
}
