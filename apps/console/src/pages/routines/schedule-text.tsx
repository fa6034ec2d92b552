import type { Routine } from './routine-draft';
import { Time } from '../../ui';

/** What sets a routine off, in a line. */
export function TriggerText({ of: { schedule, event, timezone } }: { of: Routine }) {
  if (event) return <code className="font-mono text-xs break-all">{event.event_type}</code>;
  if (schedule?.at) return <Time at={schedule.at} />;
  if (schedule?.interval) return <>every {schedule.interval}</>;
  return (
    <span className="whitespace-nowrap">
      <code className="font-mono text-xs">{schedule?.cron}</code> <span className="text-muted">{timezone}</span>
    </span>
  );
}
