import { useState, type FormEvent } from 'react';
import type { Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useRows, useWrite } from '../../../api/hooks';
import { useAll } from '../../../api/use-all';
import { PrincipalName } from '../../../names/name';
import { Button, CallShown, EmptyState, ErrorNote, IconButton, Select, Table, Time } from '../../../ui';

type Agent = Schema<'Agent'>;

const membersMax = 200;

/** Who reaches an agent while it is restricted or private. Those who may change it see who they are. */
export function MembersTab({ agent }: { agent: Agent }) {
  const members = useRows(call('agents', 'listMembers', agent.id));
  const remove = useWrite((id: string) => call('agents', 'removeMember', agent.id, id), { done: 'Taken off' });
  const count = agent.member_count ?? 0;
  const isHidden = count > 0 && members.rows.length === 0 && !members.isPending;
  return (
    <div className="flex flex-col gap-4">
      {agent.visibility === 'organization' && (
        <p className="bg-info-soft text-info rounded-md px-3 py-2">
          The whole organization reaches this agent. Its members matter once it is restricted or private.
        </p>
      )}
      <AddMember agentId={agent.id} taken={members.rows.map(({ principal_id: id }) => id)} />
      {remove.error && <ErrorNote error={remove.error} />}
      <Table
        label="Members"
        list={members}
        rowKey={({ principal_id: id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ principal_id: id, display_name: name }) => (name ? <bdi>{name}</bdi> : <PrincipalName id={id} />),
          },
          { title: 'Kind', wideOnly: true, cell: ({ kind }) => kind },
          { title: 'Added by', wideOnly: true, cell: ({ added_by: id }) => <PrincipalName id={id} /> },
          { title: 'Since', cell: ({ added_at: at }) => <Time at={at} /> },
          {
            title: '',
            align: 'right',
            cell: ({ principal_id: id, display_name: name }) => (
              <IconButton
                label={`Take ${name ?? id} off`}
                icon="close"
                needs={call('agents', 'removeMember', agent.id, id)}
                busy={remove.isPending}
                onClick={() => remove.mutate(id)}
              />
            ),
          },
        ]}
        empty={
          <EmptyState icon="access" title={isHidden ? membersText(count) : 'No members yet'}>
            {isHidden
              ? 'Who they are is shown to those who may change the agent.'
              : 'A member reaches the agent while it is restricted or private, as its owner does.'}
          </EmptyState>
        }
      />
    </div>
  );
}

function membersText(count: number): string {
  return count === 1 ? 'One member' : `${count} members`;
}

function AddMember({ agentId, taken }: { agentId: string; taken: readonly string[] }) {
  const principals = useAll(call('principals', 'list', { limit: 100 }));
  const [chosen, setChosen] = useState('');
  const left = principals.rows.filter(({ id, kind }) => kind !== 'system' && id !== agentId && !taken.includes(id));
  const adding = call('agents', 'addMembers', agentId, { principal_ids: [chosen] });
  const add = useWrite((_: null) => adding, { done: 'Added', onDone: () => setChosen('') });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate(null);
  };
  return (
    <form onSubmit={submit} aria-label="Add a member" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Who"
          required
          className="w-64 max-w-full"
          value={chosen}
          options={[{ value: '', label: 'Choose…' }, ...left.map(({ id, name }) => ({ value: id, label: name }))]}
          onChange={({ target }) => setChosen(target.value)}
        />
        <Button type="submit" icon="plus" needs={adding} disabled={taken.length >= membersMax} busy={add.isPending}>
          Add
        </Button>
        <CallShown call={adding} />
      </div>
      {add.error && <ErrorNote error={add.error} />}
    </form>
  );
}
