import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { Dialog, FormEnd, SecretShown, Select, TextArea, TextField } from '../../ui';
import { secretOfAction } from './action-secret';
import type { NewActionBody } from './action-body';

const kinds = [
  { value: 'http', label: 'HTTP: the service calls a URL' },
  { value: 'worker', label: 'Worker: a program of yours connects' },
];

export function NewAction({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [body, setBody] = useState<NewActionBody>({ name: '', endpoint_kind: 'http', visibility: 'organization' });
  const [secret, setSecret] = useState<{ name: string; text: string } | null>(null);
  const open = (name: string): void => void navigate({ to: `/actions/${encodeURIComponent(name)}` });
  const create = useCheckedWrite('CreateActionRequest', (given: NewActionBody) => call('actions', 'create', given), {
    done: ({ name }) => `${name} was made`,
    onDone: ({ name, signing_secret }) => {
      if (signing_secret === undefined) open(name);
      else setSecret({ name, text: signing_secret });
    },
  });
  if (secret !== null)
    return <SecretShown text={secret.text} description={secretOfAction} onClose={() => open(secret.name)} />;
  const close = (): void => {
    if (!create.isPending) onClose(); // its secret would be shown to nobody
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.submit(body);
  };
  return (
    <Dialog open onClose={close} title="New action">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Fields body={body} onChange={setBody} faultAt={create.faultAt} />
        <FormEnd call={call('actions', 'create', body)} write={create} onClose={close}>
          Make action
        </FormEnd>
      </form>
    </Dialog>
  );
}

function Fields({
  body,
  onChange,
  faultAt,
}: {
  body: NewActionBody;
  onChange: (body: NewActionBody) => void;
  faultAt: (member: string) => string | null;
}) {
  return (
    <>
      <TextField
        label="Name"
        maxLength={128}
        spellCheck={false}
        placeholder="shop.refund"
        hint="Lower case, with dots between: the part before the first dot is its family."
        value={body.name}
        onChange={({ target }) => onChange({ ...body, name: target.value })}
        error={faultAt('name')}
      />
      <Select
        label="Kind"
        options={kinds}
        value={body.endpoint_kind}
        onChange={({ target }) =>
          onChange({
            ...body,
            endpoint_kind: target.value as NewActionBody['endpoint_kind'],
            endpoint_url: target.value === 'worker' ? undefined : body.endpoint_url,
          })
        }
        error={faultAt('endpoint_kind')}
      />
      {body.endpoint_kind === 'http' && (
        <TextField
          label="URL"
          type="url"
          placeholder="https://example.com/refund"
          value={body.endpoint_url ?? ''}
          onChange={({ target }) => onChange({ ...body, endpoint_url: target.value === '' ? undefined : target.value })}
          error={faultAt('endpoint_url')}
        />
      )}
      <TextArea
        label="Description"
        hint="The model reads it to know when to call the action."
        rows={3}
        value={body.description ?? ''}
        onChange={({ target }) => onChange({ ...body, description: target.value === '' ? undefined : target.value })}
        error={faultAt('description')}
      />
    </>
  );
}
