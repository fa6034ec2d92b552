import { useState, type FormEvent } from 'react';
import type { RequestBody, Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useWrite } from '../../../api/hooks';
import { useAll } from '../../../api/use-all';
import { principalKinds } from '../../../names/principal-kinds';
import { PrincipalName } from '../../../names/name';
import { Button, CallShown, Card, ErrorNote, IconButton, Select, Switch } from '../../../ui';
import type { Connection } from './connection-draft';

type Grants = RequestBody<'replaceConnectionGrants'>;

/** Who may use a connection, and what a grant of a person's own covers. */
export function GrantsCard({ of, needs }: { of: Connection; needs: string }) {
  const { grants } = of;
  const [draft, setDraft] = useState<Grants>({ principal_ids: grants.principal_ids, everyone: grants.everyone });
  const saving = call('connections', 'replaceGrants', of.id, draft);
  const save = useWrite((_: null) => saving, { done: 'Saved' });
  const isChanged = draft.everyone !== grants.everyone || draft.principal_ids.join() !== grants.principal_ids.join();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(null);
  };
  return (
    <Card title="Who may use it">
      <form onSubmit={submit} className="flex flex-col gap-4">
        {of.owner.kind === 'team' && (
          <Switch
            label="Every agent and principal of the organization"
            checked={draft.everyone}
            onChange={(everyone) => setDraft({ ...draft, everyone })}
          />
        )}
        {!draft.everyone && <Grantees draft={draft} onChange={setDraft} />}
        {of.owner.kind === 'person' && <Covered actions={grants.actions} hasChanges={isChanged} />}
        {save.error && <ErrorNote error={save.error} />}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <CallShown call={saving} />
          <Button look="primary" type="submit" needs={needs} disabled={!isChanged} busy={save.isPending}>
            Save grants
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Grantees({ draft, onChange }: { draft: Grants; onChange: (draft: Grants) => void }) {
  const principals = useAll(call('principals', 'list', { limit: 100 }));
  const { principal_ids: ids } = draft;
  const left = principals.rows.filter(({ id, kind }) => kind !== 'system' && !ids.includes(id));
  const set = (next: string[]): void => onChange({ ...draft, principal_ids: next });
  return (
    <div className="flex flex-col gap-2">
      {ids.length === 0 && <p className="text-muted">Its owner alone.</p>}
      <ul aria-label="Granted to" className="flex flex-col gap-1.5 empty:hidden">
        {ids.map((id) => (
          <li key={id} className="border-line flex items-center gap-2 rounded-md border pl-2.5">
            <span className="min-w-0 flex-1 truncate">
              <PrincipalName id={id} />
            </span>
            <IconButton
              label={`Take ${principals.rows.find((one) => one.id === id)?.name ?? id} away`}
              icon="close"
              onClick={() => set(ids.filter((other) => other !== id))}
            />
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <Select
          label="Grant it to"
          hideLabel
          className="w-64 max-w-full"
          options={[
            { value: '', label: 'Grant it to…' },
            ...left.map(({ id, name, kind }) => ({ value: id, label: `${name} (${principalKinds[kind] ?? kind})` })),
          ]}
          value=""
          onChange={({ target }) => target.value !== '' && set([...ids, target.value])}
        />
      )}
    </div>
  );
}

/** The actions that the grants of a person's own account cover, as they were when it was granted. */
function Covered({
  actions,
  hasChanges,
}: {
  actions: readonly Schema<'ConnectionGrantedAction'>[];
  hasChanges: boolean;
}) {
  return (
    <div className="bg-sunken flex flex-col gap-2 rounded-md px-3 py-2.5">
      <p className="text-muted text-xs">
        {hasChanges
          ? 'A grant covers the actions of the provider that an agent may call at the moment it is saved.'
          : actions.length === 0
            ? 'The grants cover no action. What joins later needs another grant.'
            : 'The grants cover these actions, at these addresses. What joins or moves later needs another grant.'}
      </p>
      <ul aria-label="Actions that are covered" className="flex flex-col gap-1 empty:hidden">
        {actions.map(({ principal_id: id, name, endpoint_url: url }) => (
          <li key={`${id} ${name}`} className="min-w-0 text-xs break-words">
            <code className="font-mono">{name}</code> by <PrincipalName id={id} />
            {url !== undefined && <span className="text-muted break-all"> at {url}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
