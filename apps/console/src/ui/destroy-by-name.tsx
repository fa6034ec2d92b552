import type { ComponentProps } from 'react';
import type { Resources } from '@aos/client';
import type { ApiCall } from '../api/call';
import { useWrite } from '../api/hooks';
import { ConfirmByName } from './confirm-by-name';

type Asked = Omit<ComponentProps<typeof ConfirmByName>, 'call' | 'onConfirm' | 'busy' | 'error'>;

/** Asks for the name of what a call destroys, then makes the call. */
export function DestroyByName<Result>({
  call,
  done,
  changes,
  onDone,
  ...asked
}: Asked & {
  call: ApiCall<Promise<Result>>;
  /** What a toast says once it is done. */
  done: string | ((result: Result) => string);
  /** Further nouns that are read anew. */
  changes?: readonly (keyof Resources)[];
  onDone: () => void;
}) {
  const destroy = useWrite((_: null) => call, { done, changes, onDone });
  return (
    <ConfirmByName
      {...asked}
      call={call}
      onConfirm={() => destroy.mutate(null)}
      busy={destroy.isPending}
      error={destroy.error}
    />
  );
}
