import { useRef } from 'react';

interface Opener {
  /** Keeps what has the focus as a window opens. */
  note: () => void;
  /** Gives the focus back to it, or to the page where it is gone, unless something else has the focus by now. */
  giveFocusBack: (event: Event) => void;
}

/** What opened a window. Radix knows of no trigger: it would leave the focus nowhere. */
export function useOpener(): Opener {
  const opener = useRef<Element | null>(null);
  return {
    note: () => {
      opener.current = document.activeElement;
    },
    giveFocusBack: (event) => {
      event.preventDefault();
      if (document.activeElement !== document.body && document.activeElement !== null) return;
      const back = opener.current?.isConnected ? opener.current : document.querySelector('main');
      if (back instanceof HTMLElement) back.focus();
    },
  };
}
