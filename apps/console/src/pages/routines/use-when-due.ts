import { useEffect, useRef } from 'react';
import type { Routine } from './routine-draft';

const afterMs = 1_500;
const waitMaxMs = 86_400_000;

/** Reads again a moment after the next routine comes due: a run that is skipped leaves no event. */
export function useWhenDue(routines: readonly Pick<Routine, 'next_fire_at'>[], read: () => void): void {
  const latest = useRef(read);
  useEffect(() => {
    latest.current = read;
  });
  const dues = routines.flatMap(({ next_fire_at: at }) => (at ? [Date.parse(at)] : []));
  const due = dues.length === 0 ? null : Math.min(...dues);
  useEffect(() => {
    if (due === null) return undefined;
    const wait = Math.max(afterMs, due - Date.now() + afterMs);
    if (wait > waitMaxMs) return undefined;
    const timer = setTimeout(() => latest.current(), wait);
    return () => clearTimeout(timer);
  }, [due]);
}
