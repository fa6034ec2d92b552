import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { useAll } from '../../api/use-all';
import { Dialog, FormEnd, Select, TextArea, TextField } from '../../ui';
import { RoleChoices } from './role-choices';

type Body = RequestBody<'createPrincipal'>;
type Kind = NonNullable<Body['kind']>;

interface Draft {
  name: string;
  kind: Kind;
  description: string;
  email: string;
  owner: string;
  roles: readonly string[];
}

function bodyOf({ name, kind, description, email, owner, roles }: Draft): Body {
  return {
    name,
    kind,
    ...(description !== '' && { description }),
    ...(kind === 'human' && email !== '' && { email }),
    ...(kind !== 'human' && owner !== '' && { owner_id: owner }),
    ...(roles.length > 0 && { role_ids: [...roles] }),
  };
}

export function NewPrincipal({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>({
    name: '',
    kind: 'service',
    description: '',
    email: '',
    owner: '',
    roles: [],
  });
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const body = bodyOf(draft);
  const making = call('principals', 'create', body);
  const create = useWrite((given: Body) => call('principals', 'create', given), {
    done: ({ name: made }) => `${made} was made`,
    onDone: ({ id }) => void navigate({ to: '/access/principals/$id', params: { id } }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(body);
  };
  return (
    <Dialog open onClose={onClose} title="New principal">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Fields draft={draft} onChange={change} />
        <RoleChoices chosen={draft.roles} onChange={(roles) => change({ roles })} />
        <FormEnd call={making} write={create} onClose={onClose}>
          Make principal
        </FormEnd>
      </form>
    </Dialog>
  );
}

function Fields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const people = useAll(call('principals', 'list', { kind: 'human', limit: 100 }));
  return (
    <>
      <TextField
        label="Name"
        hint="It does not change later."
        required
        maxLength={128}
        dir="auto"
        value={draft.name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <Select
        label="Kind"
        value={draft.kind}
        options={[
          { value: 'service', label: 'API client' },
          { value: 'human', label: 'Person' },
          { value: 'worker', label: 'Worker' },
        ]}
        onChange={({ target }) => onChange({ kind: target.value as Kind })}
      />
      {draft.kind === 'human' ? (
        <TextField
          label="Email"
          hint="For notices of questions; may be left empty."
          type="email"
          autoComplete="off"
          value={draft.email}
          onChange={({ target }) => onChange({ email: target.value })}
        />
      ) : (
        <Select
          label="Answers for it"
          value={draft.owner}
          options={[
            { value: '', label: 'No one in particular' },
            ...people.rows.map(({ id, name: label }) => ({ value: id, label })),
          ]}
          onChange={({ target }) => onChange({ owner: target.value })}
        />
      )}
      <TextArea
        label="Description"
        rows={2}
        maxLength={1024}
        dir="auto"
        value={draft.description}
        onChange={({ target }) => onChange({ description: target.value })}
      />
    </>
  );
}
