import { Link } from '@tanstack/react-router';
import type { SourceEvent } from '@aos/client';
import { whereToFind } from './event-filter';
import { eventText } from './event-text';

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dated = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** One line of the tail. */
export function EventRow({ event }: { event: SourceEvent }) {
  const { event_type: type, meta } = event;
  return (
    <Link
      to="/events/$id"
      params={{ id: meta.id }}
      search={whereToFind(event) as never}
      className="border-line hover:bg-hover focus-visible:bg-hover grid grid-cols-[5.5rem_minmax(0,1fr)] items-baseline gap-x-4 border-b px-4 py-2.5 -outline-offset-2 md:grid-cols-[6.5rem_16rem_minmax(0,1fr)]"
    >
      <span className="text-muted text-xs tabular-nums">
        <At at={new Date(meta.occurred_at)} />
      </span>
      <span className="truncate font-mono text-xs font-medium">{type}</span>
      <span dir="auto" className="text-muted truncate max-md:col-start-2">
        {eventText(event)}
      </span>
    </Link>
  );
}

/** To the second for what happened today. */
function At({ at }: { at: Date }) {
  const isToday = at.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at.toISOString()} title={whole.format(at)} className="whitespace-nowrap">
      {(isToday ? time : dated).format(at)}
    </time>
  );
}
