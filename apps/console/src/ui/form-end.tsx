import type { ReactNode } from 'react';
import type { ApiCall } from '../api/call';
import { Button } from './button';
import { CallShown } from './call-shown';
import { ErrorNote } from './error-note';

/** The end of a form in a dialog: what the service refused, the call that is made, the way out and the way on. */
export function FormEnd({
  call,
  write: { error, isPending },
  onClose,
  keep = 'Cancel',
  look = 'primary',
  disabled,
  children,
}: {
  call: ApiCall;
  write: { error: Error | null; isPending: boolean };
  onClose: () => void;
  /** What the way out says. */
  keep?: string;
  look?: 'primary' | 'danger';
  disabled?: boolean;
  /** What the way on says. */
  children: ReactNode;
}) {
  return (
    <>
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CallShown call={call} />
        <div className="flex gap-2">
          <Button onClick={onClose}>{keep}</Button>
          <Button look={look} type="submit" needs={call} disabled={disabled} busy={isPending}>
            {children}
          </Button>
        </div>
      </div>
    </>
  );
}
