import { useState } from 'react';
import { call } from '../../api/call';
import { Button, CallShown } from '../../ui';
import { KeyTable } from './key-table';
import { NewKey } from './new-key';

export function KeysTab() {
  const [isMaking, setMaking] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap justify-end gap-2">
        <CallShown call={call('apiKeys', 'list', { limit: 100 })} />
        <Button look="primary" icon="plus" needs="svc.org.admin" onClick={() => setMaking(true)}>
          New key
        </Button>
      </div>
      <KeyTable />
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
    </div>
  );
}
