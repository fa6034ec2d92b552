import { useSyncExternalStore } from 'react';

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
] as const;

/** How long ago or from now, in the reader's words; a date beyond a week. */
export function relative(at: Date, now = Date.now()): string {
  let amount = (at.getTime() - now) / 1000;
  for (const [unit, next] of units) {
    if (Math.abs(amount) < next) return ago.format(Math.trunc(amount), unit);
    amount /= next;
  }
  return day.format(at);
}

const tickMs = 10_000;
const watchers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | null = null;
let now = Date.now();

/** One timer for all times that are shown, while there are any. */
function watchClock(watcher: () => void): () => void {
  watchers.add(watcher);
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const each of watchers) each();
  }, tickMs);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0 || ticking === null) return;
    clearInterval(ticking);
    ticking = null;
  };
}

function RelativeTime({ date }: { date: Date }) {
  const at = useSyncExternalStore(watchClock, () => now);
  return relative(date, Math.max(at, Date.now()));
}

/** A time of the service in the reader's locale and zone; the exact one on the pointer. */
export function Time({ at, form = 'relative' }: { at: string; form?: 'relative' | 'whole' | 'clock' }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={whole.format(date)} className={form === 'whole' ? undefined : 'whitespace-nowrap'}>
      {form === 'relative' ? <RelativeTime date={date} /> : (form === 'clock' ? clock : whole).format(date)}
    </time>
  );
}

/** 840 ms, 3.2 s, 4 min 10 s. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const numbers = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export function numberText(value: number, short = false): string {
  return (short ? compact : numbers).format(value);
}
