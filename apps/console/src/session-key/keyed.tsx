import { useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ServiceContext } from '../api/hooks';
import { Live } from '../api/live';
import { MeContext } from '../api/permissions';
import { serviceFor } from '../api/service';
import { Button, ErrorNote, Skeleton } from '../ui';
import { exchange } from './exchange';
import { keyStore } from './key-store';
import { Login } from './login';

const refusedWords = 'This key is not accepted any more. Log in again.';
const refusedCodeWords = 'The link of the first start is used up. Log in with a key.';

/** Shows its children once the service has taken the tab's key; asks for one before. */
export function Keyed({ firstCode, children }: { firstCode: string | null; children: ReactNode }) {
  const key = useSyncExternalStore(keyStore.subscribe, keyStore.current);
  const [isExchanging, setExchanging] = useState(firstCode !== null);
  const client = useQueryClient();

  useEffect(() => {
    if (firstCode === null) return;
    exchange(firstCode)
      .then(
        (given) => keyStore.keep(given),
        () => keyStore.forget(refusedCodeWords),
      )
      .finally(() => setExchanging(false));
  }, [firstCode]);

  useEffect(() => {
    if (key === null) client.clear();
  }, [key, client]);

  if (isExchanging) return <Opening />;
  if (key === null) return <Login />;
  return (
    <WithKey key={key} value={key}>
      {children}
    </WithKey>
  );
}

function WithKey({ value, children }: { value: string; children: ReactNode }) {
  const svc = useMemo(
    () =>
      serviceFor(value, () => {
        if (keyStore.current() === value) keyStore.forget(refusedWords);
      }),
    [value],
  );
  const me = useQuery({ queryKey: ['me', 'get'], queryFn: () => svc.me.get() });
  if (me.data === undefined)
    return me.error === null ? (
      <Opening />
    ) : (
      <main className="mx-auto flex max-w-lg flex-col gap-3 px-4 py-20">
        <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
        <Button onClick={() => keyStore.forget()}>Log out</Button>
      </main>
    );
  return (
    <ServiceContext value={svc}>
      <MeContext value={me.data}>
        <Live>{children}</Live>
      </MeContext>
    </ServiceContext>
  );
}

function Opening() {
  return (
    <main className="mx-auto max-w-6xl px-8 py-10">
      <Skeleton lines={6} />
    </main>
  );
}
