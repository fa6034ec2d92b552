import { useState } from 'react';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { PrincipalName } from '../../names/name';
import { Badge, Button, EmptyState, Page, Status, Table, Time, type Column } from '../../ui';
import { AboutWorker } from './about-worker';
import { StartWorker } from './start-worker';
import { jobsText, type Worker } from './worker';
import { useAgain } from '../../api/use-again';

/** Workers connect and end without an event. */
const lookAgainMs = 3_000;
const shownNames = 3;

function useWorkers() {
  const workers = useRows(call('workers', 'list'));
  useAgain(workers.lacks === null, workers.reload, lookAgainMs);
  return workers;
}

const columnsWith = (open: (instance: string) => void): readonly Column<Worker>[] => [
  {
    title: 'Worker',
    cell: ({ name, version, worker_instance_id: instance }) => (
      <button
        type="button"
        className="max-w-full truncate text-left after:absolute after:inset-0"
        onClick={() => open(instance)}
      >
        <bdi>{name ?? instance}</bdi>
        {version !== null && <span className="text-muted font-normal"> {version}</span>}
      </button>
    ),
  },
  { title: 'Status', cell: ({ draining }) => <Status value={draining ? 'draining' : 'connected'} /> },
  { title: 'Jobs', align: 'right', cell: jobsText },
  { title: 'Takes', wideOnly: true, cell: (worker) => <Takes of={worker} /> },
  { title: 'Acts as', wideOnly: true, cell: ({ principal_id: id }) => <PrincipalName id={id} /> },
  { title: 'Connected', wideOnly: true, cell: ({ connected_at }) => <Time at={connected_at} /> },
];

/** Programs of the organization that carry out actions over a socket they opened. */
export default function WorkersPage() {
  const workers = useWorkers();
  const [isStarting, setStarting] = useState(false);
  const [{ worker: instance }, setFilters] = useFilters();
  const opened = workers.rows.find(({ worker_instance_id: id }) => id === instance);
  const start = (
    <Button look="primary" icon="plus" onClick={() => setStarting(true)}>
      Start a worker
    </Button>
  );
  return (
    <Page title="Workers" call={workers.call} actions={start}>
      <Table
        label="Workers"
        list={workers}
        rowKey={({ worker_instance_id: instance, connected_at: at }) => `${instance} ${at}`}
        columns={columnsWith((id) => setFilters({ worker: id }))}
        empty={
          <EmptyState icon="worker" title="No worker is connected" action={start}>
            A worker is a program of yours that carries out actions. It connects to the service by itself, so it needs
            no address that the service can reach.
          </EmptyState>
        }
      />
      {opened && <AboutWorker of={opened} onClose={() => setFilters({ worker: '' })} />}
      {isStarting && <StartWorker onClose={() => setStarting(false)} />}
    </Page>
  );
}

function Takes({ of: { action_names: names, models } }: { of: Worker }) {
  const taken = [...(names ?? []), ...models.map(({ model }) => model)];
  return (
    <span className="flex flex-wrap gap-1" title={taken.join(', ')}>
      {names === null && <Badge tone="accent">every action</Badge>}
      {taken.slice(0, shownNames).map((name) => (
        <Badge key={name}>{name}</Badge>
      ))}
      {taken.length > shownNames && <span className="text-muted text-xs">and {taken.length - shownNames} more</span>}
    </span>
  );
}
