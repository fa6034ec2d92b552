import { createContext, useContext } from 'react';

/** `isFault`: something was not done. */
export type Say = (text: string, isFault?: boolean) => void;

/** Shows a text for a few seconds and reads it out; the shell provides it. */
export const SayContext = createContext<Say>(() => undefined);

/** Gives `say('Saved')`. */
export function useToast(): Say {
  return useContext(SayContext);
}
