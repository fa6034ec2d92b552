import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useRows, useWrite } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { PrincipalName } from '../../names/name';
import { usePrincipalNames } from '../../names/use-names';
import { Button, CallShown, EmptyState, ErrorNote, IconButton, Select, Table, Time } from '../../ui';
import type { Routine } from './routine-draft';
import { useManaging } from './routine-actions';

type Entry = RequestBody<'addRoutinePrincipal'>;
type Relationship = Entry['relationship'];

const words: Record<Relationship, string> = {
  follower: 'Follows it',
  responsible: 'Is responsible',
  manager: 'Manages it',
};

/** Who follows a routine, answers for it and manages it. */
export function Roster({ of }: { of: Routine }) {
  const { principal } = useMe();
  const needs = useManaging(of);
  const roster = useRows(call('routines', 'listPrincipals', of.id));
  const remove = useWrite(
    ({ id, relationship }: { id: string; relationship: Relationship }) =>
      call('routines', 'removePrincipal', of.id, id, { relationship }),
    { done: 'Taken off' },
  );
  return (
    <div className="flex flex-col gap-4">
      <AddToRoster of={of} needs={needs} />
      {remove.error && <ErrorNote error={remove.error} />}
      <Table
        label="People"
        list={roster}
        rowKey={({ principal_id: id, relationship }) => `${id} ${relationship}`}
        columns={[
          {
            title: 'Name',
            cell: ({ principal_id: id, display_name: name }) => (name ? <bdi>{name}</bdi> : <PrincipalName id={id} />),
          },
          { title: 'Does', cell: ({ relationship }) => words[relationship] },
          { title: 'Since', wideOnly: true, cell: ({ added_at }) => <Time at={added_at} /> },
          {
            title: '',
            align: 'right',
            cell: ({ principal_id: id, relationship }) => (
              <IconButton
                label={`Take off: ${words[relationship]}`}
                icon="close"
                needs={id === principal.id && relationship === 'follower' ? 'svc.resource.view' : needs}
                busy={remove.isPending}
                onClick={() => remove.mutate({ id, relationship })}
              />
            ),
          },
        ]}
        empty={
          <EmptyState icon="access" title="No followers yet">
            Followers are notified of its results; who is responsible or manages it may change it.
          </EmptyState>
        }
      />
    </div>
  );
}

function AddToRoster({ of, needs }: { of: Routine; needs: string }) {
  const { principal } = useMe();
  const names = usePrincipalNames();
  const [entry, setEntry] = useState<Entry>({ principal_id: principal.id, relationship: 'follower' });
  const adding = call('routines', 'addPrincipal', of.id, entry);
  const add = useWrite((body: Entry) => call('routines', 'addPrincipal', of.id, body), { done: 'Added' });
  const isOwnFollowing = entry.principal_id === principal.id && entry.relationship === 'follower';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate(entry);
  };
  const known = new Map([...names, [principal.id, `${principal.name} (you)`]]);
  return (
    <form onSubmit={submit} aria-label="Add" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Who"
          className="w-48"
          value={entry.principal_id}
          options={[...known].map(([value, label]) => ({ value, label }))}
          onChange={({ target }) => setEntry({ ...entry, principal_id: target.value })}
        />
        <Select
          label="Does"
          className="w-40"
          value={entry.relationship}
          options={Object.entries(words).map(([value, label]) => ({ value, label }))}
          onChange={({ target }) => setEntry({ ...entry, relationship: target.value as Relationship })}
        />
        {entry.relationship === 'follower' && (
          <Select
            label="Is told of"
            className="w-36"
            value={entry.level ?? 'all_results'}
            options={[
              { value: 'all_results', label: 'All results' },
              { value: 'failures_only', label: 'Failures only' },
            ]}
            onChange={({ target }) => setEntry({ ...entry, level: target.value as Entry['level'] })}
          />
        )}
        <Button type="submit" icon="plus" needs={isOwnFollowing ? 'svc.resource.view' : needs} busy={add.isPending}>
          Add
        </Button>
        <CallShown call={adding} />
      </div>
      {add.error && <ErrorNote error={add.error} />}
    </form>
  );
}
