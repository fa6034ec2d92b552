import { createContext, useContext } from 'react';
import type { Reply } from '@aos/client';
import type { ApiCall } from './call';

export type Me = Reply<'getMe'>;

/** Whose key the tab has; there is one wherever a page is shown. */
export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('a page is shown without a key');
  return me;
}

/** Gives the permission that the key lacks for a call or a named permission; null when it may. */
export function useLacks(needed: ApiCall | string | null | undefined): string | null {
  const me = useContext(MeContext);
  const name = typeof needed === 'string' ? needed : needed?.operation.permission;
  return name === undefined || name === null || me?.permissions.includes(name) ? null : name;
}
