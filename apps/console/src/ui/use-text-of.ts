import { useState } from 'react';

/**
 * The text of a field that becomes a value elsewhere, such as a filter of the address. It follows a value that is
 * changed there, and stays while it is written: `tell` says what the field itself has made of the value.
 */
export function useTextOf(value: string): {
  text: string;
  setText: (text: string) => void;
  tell: (to: string) => void;
} {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  const [told, tell] = useState(value);
  if (value !== before) {
    setBefore(value);
    tell(value);
    if (value !== told) setText(value);
  }
  return { text, setText, tell };
}
