import { Select, TextField } from '../../../ui';
import { LinesField } from '../../definitions/lines-field';
import {
  hasProvider,
  isAuthorized,
  isTeamKind,
  kindChoices,
  type ConnectionDraft,
  type ConnectionKind,
} from './connection-draft';
import { ProviderField } from './provider-field';
import { SecretHeadersField } from './secret-headers-field';

type FaultAt = (member: string) => string | null;

interface Parts {
  draft: ConnectionDraft;
  onChange: (part: Partial<ConnectionDraft>) => void;
  faultAt: FaultAt;
}

/** The fields of a connection; kind, provider, owner and secret are those of a new one. */
export function ConnectionFields({ isNew = false, ...parts }: Parts & { isNew?: boolean }) {
  const { draft, onChange, faultAt } = parts;
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={128}
        dir="auto"
        value={draft.name}
        onChange={({ target }) => onChange({ name: target.value })}
        error={faultAt('name')}
      />
      {isNew && <NewOnes {...parts} />}
      <OfKind {...parts} />
      {isNew && <Secrets {...parts} />}
    </>
  );
}

function NewOnes({ draft, onChange, faultAt }: Parts) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label="Kind"
        className="sm:col-span-2"
        options={kindChoices}
        value={draft.kind}
        onChange={({ target }) => onChange({ kind: target.value as ConnectionKind })}
        error={faultAt('kind')}
      />
      {hasProvider(draft.kind) && (
        <ProviderField
          kind={draft.kind}
          value={draft.provider}
          onChange={(provider) => onChange({ provider })}
          error={faultAt('provider')}
        />
      )}
      {!isTeamKind(draft.kind) && (
        <Select
          label="Whose account"
          hint={draft.ownerKind === 'team' ? 'The team’s needs svc.org.admin.' : 'Only you see it and change it.'}
          options={[
            { value: 'person', label: 'Yours' },
            { value: 'team', label: 'The team’s' },
          ]}
          value={draft.ownerKind}
          onChange={({ target }) => onChange({ ownerKind: target.value as ConnectionDraft['ownerKind'] })}
          error={faultAt('owner')}
        />
      )}
    </div>
  );
}

/** What a kind has besides its secret. */
function OfKind({ draft, onChange, faultAt }: Parts) {
  const { kind } = draft;
  if (isAuthorized(kind)) return null;
  return (
    <>
      {kind === 'channel_webhook' ? (
        <TextField
          label="URL"
          type="url"
          required
          maxLength={2048}
          hint="Answers are sent here with POST, signed with a secret that the service makes."
          placeholder="https://bridge.example.com/answers"
          value={draft.url}
          onChange={({ target }) => onChange({ url: target.value })}
          error={faultAt('url') ?? faultAt('hosts')}
        />
      ) : (
        <LinesField
          label={kind === 'smtp' ? 'Server' : 'Hosts'}
          required={kind !== 'oauth2_client_credentials'}
          rows={kind === 'smtp' ? 1 : 2}
          placeholder={kind === 'smtp' ? 'smtp.example.com:587' : 'https://api.example.com'}
          hint={
            kind === 'smtp'
              ? 'Host and port. The secret goes there and nowhere else.'
              : 'One a line. The secret goes to these addresses and nowhere else.'
          }
          value={draft.hosts}
          onChange={(hosts) => onChange({ hosts })}
          error={faultAt('hosts')}
        />
      )}
      {kind === 'api_key' && <HeaderFields {...{ draft, onChange, faultAt }} />}
      {kind === 'oauth2_client_credentials' && <ClientFields {...{ draft, onChange, faultAt }} />}
      {(kind === 'basic' || kind === 'smtp') && (
        <TextField
          label="User name"
          required
          maxLength={512}
          autoComplete="off"
          spellCheck={false}
          value={draft.username}
          onChange={({ target }) => onChange({ username: target.value })}
          error={faultAt('username')}
        />
      )}
    </>
  );
}

/** The header that carries a key, and its form. */
function HeaderFields({ draft, onChange, faultAt }: Parts) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Header"
        maxLength={128}
        spellCheck={false}
        placeholder="Authorization"
        value={draft.header}
        onChange={({ target }) => onChange({ header: target.value })}
        error={faultAt('header')}
      />
      <TextField
        label="Form"
        hint="{secret} stands for the secret."
        maxLength={512}
        spellCheck={false}
        placeholder="Bearer {secret}"
        value={draft.format}
        onChange={({ target }) => onChange({ format: target.value })}
        error={faultAt('format')}
      />
    </div>
  );
}

function ClientFields({ draft, onChange, faultAt }: Parts) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Client id"
        hint="The provider's when left empty."
        maxLength={512}
        spellCheck={false}
        value={draft.clientId}
        onChange={({ target }) => onChange({ clientId: target.value })}
        error={faultAt('client_id')}
      />
      <TextField
        label="Token endpoint"
        type="url"
        hint="The provider's when left empty."
        maxLength={2048}
        placeholder="https://login.example.com/token"
        value={draft.tokenEndpoint}
        onChange={({ target }) => onChange({ tokenEndpoint: target.value })}
        error={faultAt('token_endpoint')}
      />
    </div>
  );
}

/** The secret of a kind. It is sealed by the service and never shown again. */
export function Secrets({ draft, onChange, faultAt }: Parts) {
  if (draft.kind === 'channel_webhook' || isAuthorized(draft.kind)) return null;
  if (draft.kind === 'headers')
    return (
      <SecretHeadersField
        value={draft.headers}
        onChange={(headers) => onChange({ headers })}
        error={faultAt('headers')}
      />
    );
  return (
    <TextField
      label={draft.kind === 'basic' || draft.kind === 'smtp' ? 'Password' : 'Secret'}
      hint="8 characters at least. It is sealed, and never shown again."
      type="password"
      required
      autoComplete="off"
      value={draft.secret}
      onChange={({ target }) => onChange({ secret: target.value })}
      error={faultAt('secret')}
    />
  );
}
