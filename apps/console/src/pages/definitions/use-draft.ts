import { useState } from 'react';

export interface Draft<Body extends object> {
  body: Body;
  change: (part: Partial<Body>) => void;
  replace: (body: Body) => void;
  reset: () => void;
  /** The members that differ from what is stored: what a PATCH sends. */
  changes: Partial<Body>;
  isChanged: boolean;
  /** What is stored became another one since this draft was begun. */
  isBehind: boolean;
}

/** Changes to a stored thing that are not sent yet. Without any, the draft follows what is stored. */
export function useDraft<Body extends object>(stored: Body): Draft<Body> {
  const [base, setBase] = useState(stored);
  const [body, setBody] = useState(stored);
  const changes = changesOf(base, body);
  const isChanged = Object.keys(changes).length > 0;
  const isBehind = !isSame(base, stored);
  if (isBehind && (!isChanged || isSame(body, stored))) {
    setBase(stored);
    setBody(stored);
  }
  return {
    body,
    change: (part) => setBody((before) => ({ ...before, ...part })),
    replace: setBody,
    reset: () => {
      setBase(stored);
      setBody(stored);
    },
    changes,
    isChanged,
    isBehind,
  };
}

/** What a PATCH has to send: a member that was taken away is set to nothing of its kind. */
export function changesOf<Body extends object>(base: Body, body: Body): Partial<Body> {
  const names = [...new Set([...Object.keys(base), ...Object.keys(body)])] as (keyof Body)[];
  const differing = names.filter((name) => !isSame(base[name], body[name]));
  return Object.fromEntries(
    differing.map((name) => [name, body[name] === undefined ? emptied(base[name]) : body[name]]),
  ) as Partial<Body>;
}

function emptied(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return [];
  return typeof value === 'object' ? {} : value;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
