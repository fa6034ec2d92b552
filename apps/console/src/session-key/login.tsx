import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '@aos/client';
import { serviceFor } from '../api/service';
import { Button, ErrorNote, Icon, TextField } from '../ui';
import { keyStore } from './key-store';

/** Asks for a key and keeps it once the service has taken it. The address stays: a shared link goes on to its page. */
export function Login() {
  const reason = keyStore.reason();
  useEffect(() => {
    document.title = 'Log in · Console';
  }, []);
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-5">
        <div className="flex items-center gap-3">
          <span className="bg-accent text-on-accent flex size-9 items-center justify-center rounded-lg">
            <Icon name="events" size={20} />
          </span>
          <h1 className="text-xl font-semibold">Log in</h1>
        </div>
        {reason !== null && (
          <p role="alert" className="bg-warn-soft text-warn rounded-md px-3 py-2">
            {reason}
          </p>
        )}
        <KeyForm />
        <p className="text-muted text-xs">
          The first start of the service prints a key. Others are made under Access, or by{' '}
          <code className="font-mono">svc keys create</code>.
        </p>
      </div>
    </main>
  );
}

function KeyForm() {
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const given = key.trim();
    if (given === '') return;
    setBusy(true);
    try {
      const me = await serviceFor(given).me.get();
      client.setQueryData(['me', 'get'], me);
      keyStore.keep(given);
    } catch (refused) {
      setError(refused instanceof Error ? refused : new Error(String(refused)));
      setBusy(false);
      field.current?.focus();
    }
  };

  const isRefused = error instanceof ApiError && error.status === 401;
  return (
    <form
      onSubmit={(event) => void submit(event)}
      className="border-line bg-surface flex flex-col gap-4 rounded-lg border p-5"
      autoComplete="off"
    >
      <TextField
        ref={field}
        type="password"
        label="API key"
        name="api-key"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="svck_…"
        value={key}
        onChange={(event) => {
          setKey(event.target.value);
          setError(null);
        }}
        error={isRefused ? 'This key is not accepted.' : null}
        hint="Kept for this tab only, until you log out or close it."
      />
      {error !== null && !isRefused && <ErrorNote error={error} />}
      <Button look="primary" type="submit" busy={isBusy}>
        {isBusy ? 'Logging in…' : 'Log in'}
      </Button>
    </form>
  );
}
