import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { AgentName } from '../../names/name';
import { useAgentNames } from '../../names/use-names';
import { Button, EmptyState, Page, Select, Status, Table, Time, type Column } from '../../ui';
import { NewRoutine } from './new-routine';
import type { Routine } from './routine-draft';
import { TriggerText } from './schedule-text';
import { useWhenDue } from './use-when-due';

const columns: readonly Column<Routine>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <Link to="/routines/$id" params={{ id }} dir="auto" className="after:absolute after:inset-0">
        {name}
      </Link>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status value={status} /> },
  { title: 'Runs', wideOnly: true, cell: (routine) => <TriggerText of={routine} /> },
  { title: 'Agent', wideOnly: true, cell: ({ agent_id: id }) => <AgentName id={id} link={false} /> },
  { title: 'Next', cell: ({ next_fire_at: at }) => (at ? <Time at={at} /> : '') },
  { title: 'Last', wideOnly: true, cell: ({ last_fire_at: at }) => (at ? <Time at={at} /> : '') },
];

/** Standing instructions that run on a schedule or an event. */
export default function RoutinesPage() {
  const [{ agent = '', owner = '', session = '' }, setFilters] = useFilters();
  const query = { agent_id: agent, owner_id: owner, origin_session_id: session, limit: 50 };
  const routines = useRows(call('routines', 'list', withoutEmpty(query)));
  useWhenDue(routines.rows, routines.reload);
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" icon="plus" needs="svc.resource.build" onClick={() => setMaking(true)}>
      New routine
    </Button>
  );
  const isFiltered = agent !== '' || owner !== '' || session !== '';
  return (
    <Page title="Routines" call={routines.call} actions={make}>
      <RoutineFilters agent={agent} owner={owner} onChange={setFilters} />
      <Table
        label="Routines"
        list={routines}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <EmptyState
            icon="clock"
            title={isFiltered ? 'No such routine' : 'No routines yet'}
            action={isFiltered ? undefined : make}
          >
            {isFiltered
              ? 'Choose another agent or owner above.'
              : 'A routine hands an agent its instructions each time a schedule comes due or an event happens.'}
          </EmptyState>
        }
      />
      {isMaking && <NewRoutine agentId={agent} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function RoutineFilters({
  agent,
  owner,
  onChange,
}: {
  agent: string;
  owner: string;
  onChange: (changed: Record<string, string>) => void;
}) {
  const { principal } = useMe();
  const names = useAgentNames();
  return (
    <div role="search" aria-label="Filters" className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <Select
        label="Agent"
        className="sm:w-56"
        value={agent}
        options={[{ value: '', label: 'Any' }, ...[...names].map(([value, label]) => ({ value, label }))]}
        onChange={({ target }) => onChange({ agent: target.value })}
      />
      <Select
        label="Owner"
        className="sm:w-44"
        value={owner}
        options={[
          { value: '', label: 'Any' },
          { value: principal.id, label: `${principal.name} (you)` },
          ...(owner !== '' && owner !== principal.id ? [{ value: owner, label: owner }] : []),
        ]}
        onChange={({ target }) => onChange({ owner: target.value })}
      />
    </div>
  );
}

function withoutEmpty<Query extends object>(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) as Query;
}
