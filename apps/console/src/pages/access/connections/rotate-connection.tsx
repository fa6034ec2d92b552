import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { Dialog, FormEnd, SecretShown } from '../../../ui';
import { draftOf, secretsOf, withoutSecrets, type Connection } from './connection-draft';
import { Secrets } from './connection-fields';
import { secretOfBridge } from './bridge-secret';

type Body = RequestBody<'rotateConnection'>;

/** Puts another secret in the place of the one there is. */
export function RotateConnection({ of, onClose }: { of: Connection; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(of));
  const [made, setMade] = useState<string | null>(null);
  const body: Body = secretsOf(draft);
  const rotate = useCheckedWrite(
    'RotateConnectionRequest',
    (given: Body) => call('connections', 'rotate', of.id, given),
    {
      done: 'The secret was replaced',
      onDone: ({ signing_secret: secret }) => (secret === undefined ? onClose() : setMade(secret)),
    },
  );
  if (made !== null) return <SecretShown text={made} description={secretOfBridge} onClose={onClose} />;
  const close = (): void => {
    if (!rotate.isPending) onClose(); // its secret would be shown to nobody
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rotate.submit(body);
  };
  return (
    <Dialog
      open
      onClose={close}
      title="Replace the secret"
      description="The next call goes out with the new one. The one before is gone from the service."
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Secrets
          draft={draft}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
          faultAt={rotate.faultAt}
        />
        <FormEnd call={call('connections', 'rotate', of.id, withoutSecrets(body))} write={rotate} onClose={close}>
          Replace it
        </FormEnd>
      </form>
    </Dialog>
  );
}
