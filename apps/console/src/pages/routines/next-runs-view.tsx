import { readerZone } from './routine-draft';

const shape: Intl.DateTimeFormatOptions = {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
};

function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(undefined, { ...shape, timeZone });
  } catch (error) {
    if (error instanceof RangeError) return new Intl.DateTimeFormat(undefined, { ...shape, timeZone: 'UTC' });
    throw error;
  }
}

/** Times in the reader's zone, and in the routine's where that is another. */
export function NextRuns({ times, timezone }: { times: readonly Date[]; timezone: string }) {
  const here = formatIn(readerZone);
  const there = formatIn(timezone);
  return (
    <ol aria-label="Next runs" className="flex flex-col gap-1.5">
      {times.map((time) => {
        const [mine, its] = [here.format(time), there.format(time)];
        return (
          <li key={time.getTime()} className="tabular-nums">
            <time dateTime={time.toISOString()}>{mine}</time>
            {mine !== its && <span className="text-muted block text-xs">{its}</span>}
          </li>
        );
      })}
    </ol>
  );
}
