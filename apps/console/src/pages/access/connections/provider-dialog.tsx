import { useState, type FormEvent } from 'react';
import type { RequestBody, Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { useItem } from '../../../api/hooks';
import { Dialog, FormEnd, ItemView, Switch, TextField } from '../../../ui';
import { LinesField } from '../../definitions/lines-field';

type Body = RequestBody<'saveProvider'>;

const newBody: Body = {
  client_id: '',
  client_secret: '',
  authorization_endpoint: '',
  token_endpoint: '',
  issuer: '',
  hosts: [],
};

/** Makes a provider, or saves one anew. A save replaces the whole, so that the secret is written again. */
export function ProviderDialog({ provider, onClose }: { provider: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={provider === '' ? 'New provider' : provider}
      description="Your OAuth client at an outside service. A change of its addresses or its client asks its accounts to be authorized anew."
    >
      {provider === '' ? (
        <ProviderForm known={null} onClose={onClose} />
      ) : (
        <StoredProvider provider={provider} onClose={onClose} />
      )}
    </Dialog>
  );
}

function StoredProvider({ provider, onClose }: { provider: string; onClose: () => void }) {
  const stored = useItem(call('connections', 'getProvider', provider));
  return <ItemView item={stored}>{(value) => <ProviderForm known={value} onClose={onClose} />}</ItemView>;
}

function bodyOf({ provider: _name, created_at: _made, updated_at: _changed, ...body }: Schema<'Provider'>): Body {
  return { ...body, client_secret: '' };
}

function ProviderForm({ known, onClose }: { known: Schema<'Provider'> | null; onClose: () => void }) {
  const [name, setName] = useState(known?.provider ?? '');
  const [body, setBody] = useState<Body>(known === null ? newBody : bodyOf(known));
  const change = (part: Partial<Body>): void => setBody((before) => ({ ...before, ...part }));
  const callFor = (given: Body) => call('connections', 'saveProvider', name, given);
  const save = useCheckedWrite('SaveProviderRequest', callFor, { done: 'Saved', onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.submit(body);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {known === null && (
        <TextField
          label="Name"
          required
          maxLength={64}
          pattern="[a-z0-9][a-z0-9._\-]*"
          spellCheck={false}
          placeholder="github"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      )}
      <ProviderFields body={body} onChange={change} faultAt={save.faultAt} />
      <FormEnd call={callFor({ ...body, client_secret: '<secret>' })} write={save} onClose={onClose}>
        Save
      </FormEnd>
    </form>
  );
}

const addresses = [
  ['issuer', 'Issuer'],
  ['authorization_endpoint', 'Authorization endpoint'],
  ['token_endpoint', 'Token endpoint'],
] as const;

interface Parts {
  body: Body;
  onChange: (part: Partial<Body>) => void;
  faultAt: (member: string) => string | null;
}

function ProviderFields({ body, onChange, faultAt }: Parts) {
  return (
    <>
      {addresses.map(([member, label]) => (
        <TextField
          key={member}
          label={label}
          type="url"
          required
          maxLength={2048}
          spellCheck={false}
          value={body[member]}
          onChange={({ target }) => onChange({ [member]: target.value })}
          error={faultAt(member)}
        />
      ))}
      <Client {...{ body, onChange, faultAt }} />
      <LinesField
        label="Hosts"
        hint="One a line. Access tokens go to these addresses and nowhere else."
        rows={2}
        required
        placeholder="https://api.example.com"
        value={body.hosts}
        onChange={(hosts) => onChange({ hosts })}
        error={faultAt('hosts')}
      />
      <LinesField
        label="Scopes"
        hint="One a line."
        rows={2}
        value={body.scopes ?? []}
        onChange={(scopes) => onChange({ scopes })}
        error={faultAt('scopes')}
      />
      <Switch
        label="Refuse answers without the issuer's name"
        checked={body.iss_required ?? false}
        onChange={(iss_required) => onChange({ iss_required })}
      />
    </>
  );
}

function Client({ body, onChange, faultAt }: Parts) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Client id"
        required
        maxLength={512}
        spellCheck={false}
        value={body.client_id}
        onChange={({ target }) => onChange({ client_id: target.value })}
        error={faultAt('client_id')}
      />
      <TextField
        label="Client secret"
        type="password"
        hint="It is sealed, and never shown again."
        required
        autoComplete="off"
        value={body.client_secret}
        onChange={({ target }) => onChange({ client_secret: target.value })}
        error={faultAt('client_secret')}
      />
    </div>
  );
}
