import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { Badge, Button, EmptyState, FilterField, Page, Table, Time } from '../../ui';
import { NewSkill } from './new-skill';

export default function SkillsPage() {
  const [{ name }, setFilters] = useFilters();
  const skills = useRows(call('skills', 'list', { name, limit: 50 }));
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" icon="plus" needs="svc.resource.build" onClick={() => setMaking(true)}>
      New skill
    </Button>
  );
  return (
    <Page title="Skills" call={skills.call} actions={make}>
      <FilterField
        label="Exact name"
        hideLabel
        placeholder="Exact name"
        className="max-w-72"
        value={name ?? ''}
        onChange={(next) => setFilters({ name: next })}
      />
      <Table
        label="Skills"
        list={skills}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name: called, title }) => (
              <Link to="/skills/$id" params={{ id }} className="after:absolute after:inset-0">
                {called}
                {title !== undefined && <span className="text-muted font-normal"> {title}</span>}
              </Link>
            ),
          },
          {
            title: 'Source',
            wideOnly: true,
            cell: ({ source }) => <Badge tone={source === 'system' ? 'accent' : 'neutral'}>{source}</Badge>,
          },
          { title: 'Visibility', wideOnly: true, cell: ({ visibility }) => visibility },
          { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
        ]}
        empty={
          <EmptyState
            icon="skill"
            title={name ? `No skill is named ${name}` : 'No skills yet'}
            action={name ? undefined : make}
          >
            {name
              ? 'Names are compared letter by letter.'
              : 'A skill is a set of instructions that agents take up when they need it, with the actions that belong to it.'}
          </EmptyState>
        }
      />
      {isMaking && <NewSkill onClose={() => setMaking(false)} />}
    </Page>
  );
}
