import { useState, type FormEvent, type ReactNode } from 'react';
import type { ApiCall } from '../api/call';
import { Dialog } from './dialog';
import { TextField } from './field';
import { FormEnd } from './form-end';

/** Asks for the name of what is destroyed before it is destroyed. */
export function ConfirmByName({
  open = true,
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
  open?: boolean;
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
        <FormEnd
          call={call}
          write={{ error, isPending: busy }}
          onClose={close}
          keep="Keep it"
          look="danger"
          disabled={typed !== name}
        >
          {verb}
        </FormEnd>
      </form>
    </Dialog>
  );
}
