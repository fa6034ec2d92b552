import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { useLacks, useMe } from '../../../api/permissions';
import { Dialog, FormEnd, SecretShown } from '../../../ui';
import { createBody, newDraft, withoutSecrets, type NewConnectionBody } from './connection-draft';
import { ConnectionFields } from './connection-fields';
import { secretOfBridge } from './bridge-secret';

/** Connects an account. What its secret is goes with this window. */
export function NewConnection({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const { principal } = useMe();
  const mayForTeam = useLacks('svc.org.admin') === null;
  const [draft, setDraft] = useState(() => newDraft(mayForTeam || principal.kind !== 'human' ? 'team' : 'person'));
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const open = (id: string): void => void navigate({ to: '/access/connections/$id', params: { id } });
  const create = useCheckedWrite(
    'CreateConnectionRequest',
    (body: NewConnectionBody) => call('connections', 'create', body),
    {
      done: ({ name }) => `${name} was made`,
      onDone: ({ id, signing_secret: secret }) => (secret === undefined ? open(id) : setMade({ id, secret })),
    },
  );
  if (made !== null)
    return <SecretShown text={made.secret} description={secretOfBridge} onClose={() => open(made.id)} />;
  const close = (): void => {
    if (!create.isPending) onClose(); // its secret would be shown to nobody
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.submit(createBody(draft));
  };
  return (
    <Dialog
      open
      onClose={close}
      title="New connection"
      description="An account at an outside service, for actions and for messages."
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <ConnectionFields
          isNew
          draft={draft}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
          faultAt={create.faultAt}
        />
        <FormEnd call={call('connections', 'create', withoutSecrets(createBody(draft)))} write={create} onClose={close}>
          Make connection
        </FormEnd>
      </form>
    </Dialog>
  );
}
