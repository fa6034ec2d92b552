import { useEffect, useRef } from 'react';

/** Reads again what no event tells of, for as long as the tab is seen. */
export function useAgain(isOn: boolean, read: () => void, everyMs: number): void {
  const latest = useRef(read);
  useEffect(() => {
    latest.current = read;
  });
  useEffect(() => {
    if (!isOn) return undefined;
    const look = (): void => {
      if (!document.hidden) latest.current();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [isOn, everyMs]);
}
