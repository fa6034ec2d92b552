import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { useFound } from '../../api/search';
import { Button, EmptyState, Page, Select, Status, Table, Time } from '../../ui';
import { SearchField } from '../definitions/search-field';
import { tagsText } from '../definitions/tags-field';
import { ColourDot } from './colour-field';
import { NewAgent } from './new-agent';
import type { Agent } from './agent-body';

const statuses = [
  { value: '', label: 'Any status' },
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
];

const textOf = ({ id, name, description = '', model = '', tags }: Agent): string =>
  `${id} ${name} ${description} ${model} ${tagsText(tags)}`;

export default function AgentsPage() {
  const [{ q = '', status = '' }, setFilters] = useFilters();
  const agents = useRows(
    call('agents', 'list', { status: status === '' ? undefined : (status as Agent['status']), limit: 100 }),
  );
  const found = useFound(agents, q, textOf);
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" icon="plus" needs="svc.resource.build" onClick={() => setMaking(true)}>
      New agent
    </Button>
  );
  return (
    <Page title="Agents" call={agents.call} actions={make}>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label="Search name, description, model, tags"
          value={q}
          onChange={(text) => setFilters({ q: text })}
        />
        <Select
          label="Status"
          hideLabel
          className="w-36"
          options={statuses}
          value={status}
          onChange={({ target }) => setFilters({ status: target.value })}
        />
        {found.note && <p className="text-muted text-xs">{found.note}</p>}
      </div>
      <Table
        label="Agents"
        list={found}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name, color, description }) => (
              <Link to={`/agents/${id}`} className="after:absolute after:inset-0">
                <ColourDot colour={color} /> <bdi>{name}</bdi>
                {description !== undefined && <span className="text-muted font-normal"> {description}</span>}
              </Link>
            ),
          },
          { title: 'Status', cell: ({ status: state }) => <Status value={state} /> },
          { title: 'Model', wideOnly: true, cell: ({ model }) => model ?? <span className="text-muted">default</span> },
          { title: 'Visibility', wideOnly: true, cell: ({ visibility }) => visibility },
          { title: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
        ]}
        empty={<NoAgents isFiltered={q !== '' || status !== ''} action={make} />}
      />
      {isMaking && <NewAgent onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NoAgents({ isFiltered, action }: { isFiltered: boolean; action: React.ReactNode }) {
  if (isFiltered)
    return (
      <EmptyState icon="agent" title="No agent fits">
        Take a word or the status away to see more.
      </EmptyState>
    );
  return (
    <EmptyState icon="agent" title="No agents yet" action={action}>
      An agent is a model with a prompt, actions and skills. Make one here, or apply a blueprint.
    </EmptyState>
  );
}
