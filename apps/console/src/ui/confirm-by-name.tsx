import { useState, type FormEvent, type ReactNode } from 'react';
import type { ApiCall } from '../api/call';
import { Button } from './button';
import { CallShown } from './call-shown';
import { Dialog } from './dialog';
import { ErrorNote } from './error-note';
import { TextField } from './field';

/** Asks for the name of what is destroyed before it is destroyed. */
export function ConfirmByName({
  open,
  onClose,
  title,
  name,
  consequence,
  verb = 'Delete',
  call,
  onConfirm,
  busy = false,
  error = null,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  name: string;
  /** What is lost. */
  consequence: ReactNode;
  verb?: string;
  call: ApiCall;
  onConfirm: () => void;
  busy?: boolean;
  error?: Error | null;
}) {
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === name) onConfirm();
  };
  return (
    <Dialog open={open} onClose={close} title={title} description={consequence}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
        {error && <ErrorNote error={error} />}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <CallShown call={call} />
          <div className="flex gap-2">
            <Button onClick={close}>Keep it</Button>
            <Button look="danger" type="submit" disabled={typed !== name} busy={busy} needs={call}>
              {verb}
            </Button>
          </div>
        </div>
      </form>
    </Dialog>
  );
}
