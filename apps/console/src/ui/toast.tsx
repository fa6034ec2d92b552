import { useCallback, useRef, useState, type ReactNode } from 'react';
import { SayContext, type Say } from '../api/say';
import { IconButton } from './button';
import { Icon } from './icon';

const shownMs = 6_000;
const shownMax = 3;

interface Shown {
  id: number;
  text: string;
  isFault: boolean;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const last = useRef(0);
  const drop = useCallback((id: number) => {
    setShown((before) => before.filter((one) => one.id !== id));
  }, []);
  const say = useCallback<Say>(
    (text, isFault = false) => {
      const id = (last.current += 1);
      setShown((before) => [...before, { id, text, isFault }].slice(-shownMax));
      setTimeout(() => drop(id), shownMs);
    },
    [drop],
  );
  return (
    <SayContext value={say}>
      {children}
      <div
        role="status"
        aria-live="polite"
        className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2"
      >
        {shown.map(({ id, text, isFault }) => (
          <div
            key={id}
            className="border-line bg-surface shadow-raised pointer-events-auto flex items-center gap-2 rounded-lg border py-1.5 pr-1.5 pl-3"
          >
            <span className={isFault ? 'text-bad' : 'text-good'}>
              <Icon name={isFault ? 'warning' : 'check'} />
            </span>
            <span className="min-w-0 flex-1 break-words">{text}</span>
            <IconButton label="Dismiss" icon="close" onClick={() => drop(id)} />
          </div>
        ))}
      </div>
    </SayContext>
  );
}
