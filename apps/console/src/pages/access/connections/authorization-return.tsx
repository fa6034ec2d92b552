import { useEffect, useRef } from 'react';
import { call } from '../../../api/call';
import { useFilters } from '../../../api/filters';
import { useWrite } from '../../../api/hooks';
import { ErrorNote } from '../../../ui';

/** What the provider's answer brought into the address: a receipt, which is handed in once, or why there is none. */
export function AuthorizationReturn({ connectionId }: { connectionId: string }) {
  const [{ receipt = '', connection_id: of = '', error = '' }, setFilters] = useFilters();
  const handed = useRef('');
  const complete = useWrite(
    (given: string) => call('connections', 'completeAuthorization', connectionId, { receipt: given }),
    { done: 'The account is authorized' },
  );
  const { mutate } = complete;
  useEffect(() => {
    if (receipt === '' || of !== connectionId || handed.current === receipt) return;
    handed.current = receipt;
    setFilters({ receipt: '', connection_id: '' });
    mutate(receipt);
  }, [receipt, of, connectionId, mutate, setFilters]);
  if (complete.error) return <ErrorNote error={complete.error} />;
  if (error === '') return null;
  return (
    <p role="alert" className="bg-warn-soft text-warn rounded-md px-3 py-2 break-words">
      The account was not authorized: {error.replace(/_/g, ' ')}. It can be begun again.
    </p>
  );
}
