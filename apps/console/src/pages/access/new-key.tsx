import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { useAll } from '../../api/use-all';
import { Button, CopyButton, Dialog, FormEnd, Select, Switch, TextField } from '../../ui';

type Body = RequestBody<'createAPIKey'>;

interface Draft {
  name: string;
  principal: string;
  scope: string;
  role: NonNullable<Body['role']>;
  expires: string;
  withoutRole: boolean;
}

function bodyOf({ name, principal, scope, role, expires, withoutRole }: Draft): Body {
  const at = new Date(expires);
  return {
    name,
    ...(principal === '' ? { role } : { principal_id: principal }),
    ...(principal !== '' && scope !== '' && { scope_role_id: scope }),
    ...(principal !== '' && withoutRole && { allow_unassigned_principal: true }),
    ...(expires !== '' && !Number.isNaN(at.getTime()) && { expires_at: at.toISOString() }),
  } as Body;
}

const useCreate = () => useWrite((body: Body) => call('apiKeys', 'create', body));
type Create = ReturnType<typeof useCreate>;

/** Makes a key and shows it once. It stays in this window and goes with it. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const create = useCreate();
  const { data: made } = create;
  const close = (): void => {
    if (!create.isPending) onClose(); // the key would be shown to nobody
  };
  return (
    <Dialog
      open
      onClose={close}
      title={made ? `The key ${made.name}` : 'New key'}
      description={made ? 'It is shown this once: copy it now. The service keeps only its hash.' : undefined}
    >
      {made ? <Shown secret={made.key} onClose={onClose} /> : <KeyForm create={create} onClose={close} />}
    </Dialog>
  );
}

function Shown({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <>
      <code
        aria-label="The key"
        className="bg-sunken border-line rounded-md border px-3 py-2 font-mono text-xs break-all select-all"
      >
        {secret}
      </code>
      <div className="flex justify-end gap-2">
        <CopyButton text={secret} label="Copy the key" />
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}

function KeyForm({ create, onClose }: { create: Create; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    name: '',
    principal: '',
    scope: '',
    role: 'Admin',
    expires: '',
    withoutRole: false,
  });
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const body = bodyOf(draft);
  const making = call('apiKeys', 'create', body);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(body);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        required
        autoComplete="off"
        maxLength={128}
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <ActsAs draft={draft} onChange={change} />
      <TextField
        label="Expires"
        hint="In your time zone. Left empty, it works until it is revoked."
        type="datetime-local"
        value={draft.expires}
        onChange={({ target }) => change({ expires: target.value })}
      />
      <FormEnd call={making} write={create} onClose={onClose}>
        Make key
      </FormEnd>
    </form>
  );
}

/** Whom the key acts as, and what caps it. */
function ActsAs({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const principals = useAll(call('principals', 'list', { limit: 100 }));
  const roles = useAll(call('roles', 'list', { limit: 100 }));
  const others = principals.rows.filter(({ kind }) => kind !== 'system');
  return (
    <>
      <Select
        label="Acts as"
        value={draft.principal}
        options={[
          { value: '', label: 'The organization' },
          ...others.map(({ id, name, kind }) => ({ value: id, label: `${name} (${kind})` })),
        ]}
        onChange={({ target }) => onChange({ principal: target.value })}
      />
      {draft.principal === '' ? (
        <Select
          label="Role"
          hint="It may do what this role may."
          value={draft.role}
          options={['Owner', 'Admin', 'User', 'Viewer'].map((value) => ({ value, label: value }))}
          onChange={({ target }) => onChange({ role: target.value as Draft['role'] })}
        />
      ) : (
        <>
          <Select
            label="Capped by"
            hint="It may do what its principal may and no more than this role."
            value={draft.scope}
            options={[
              { value: '', label: 'Nothing further' },
              ...roles.rows.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={({ target }) => onChange({ scope: target.value })}
          />
          <Switch
            label="Also when its principal has no role yet"
            checked={draft.withoutRole}
            onChange={(withoutRole) => onChange({ withoutRole })}
          />
        </>
      )}
    </>
  );
}
