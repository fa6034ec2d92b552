import { createContext, useContext } from 'react';

export type Say = (text: string) => void;

/** Shows a text for a few seconds and reads it out; the shell provides it. */
export const SayContext = createContext<Say>(() => undefined);

/** Gives `say('Saved')`. */
export function useToast(): Say {
  return useContext(SayContext);
}
