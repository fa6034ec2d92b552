import { useState, type ReactNode } from 'react';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { useLacks } from '../../api/permissions';
import { useAgents } from '../../api/use-agents';
import { Button, CodeEditor, EmptyState, ErrorNote, LacksNote, Select } from '../../ui';
import { columnsMax, columnsOf, filtersOf, outputSchemaOf, type Column } from './playground-columns';
import { DeleteSessions } from './delete-sessions';
import { PlaygroundColumn } from './playground-column';
import { Sender } from './sender';
import { useTitle } from './use-title';

interface PlaygroundAgent {
  id: string;
  name: string;
  model?: string;
}

export default function PlaygroundPage() {
  useTitle('Playground');
  const lacks = useLacks('svc.resource.use');
  const agents = useAgents({ status: 'active' });
  if (lacks !== null)
    return (
      <Simple>
        <LacksNote permission={lacks} />
      </Simple>
    );
  if (agents.error !== null && agents.rows.length === 0)
    return (
      <Simple>
        <ErrorNote error={agents.error} onRetry={agents.reload} />
      </Simple>
    );
  if (!agents.isPending && agents.rows.length === 0)
    return (
      <Simple>
        <EmptyState icon="agent" title="No agent to talk to">
          An agent is made with `POST /v1/agents`, by a blueprint, or with `npm run demo`. It has to be active.
        </EmptyState>
      </Simple>
    );
  return <Playground agents={agents.rows} />;
}

function Simple({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-4 py-5 md:px-8 md:py-7">
      <h1 className="text-xl font-semibold">Playground</h1>
      {children}
    </div>
  );
}

function Playground({ agents }: { agents: readonly PlaygroundAgent[] }) {
  const [filters, setFilters] = useFilters();
  const columns = columnsOf(filters);
  const agent = agents.find(({ id }) => id === filters['agent']) ?? agents[0];
  const models = useRows(call('catalog', 'listModels'));
  const [schemaText, setSchemaText] = useState<string | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const output = outputSchemaOf(schemaText ?? '');
  const begun = columns.flatMap(({ sessionId }) => sessionId ?? []);
  const keep = (next: readonly Column[]) => setFilters({ agent: agent?.id ?? '', ...filtersOf(next) });
  const beginAnew = () => keep(columns.map(({ model }) => ({ model, sessionId: null })));
  const options = [
    { value: '', label: `Agent’s own${agent?.model ? ` (${agent.model})` : ''}` },
    ...models.rows.flatMap(({ models: of }) => of).map(({ id, label }) => ({ value: id, label })),
  ];
  return (
    <div className="flex h-[calc(100dvh-3rem)] min-h-0 flex-col md:h-dvh">
      <Head
        agents={agents}
        agentId={agent?.id ?? ''}
        onAgent={(id) => setFilters({ agent: id })}
        isBegun={begun.length > 0}
        hasSchema={schemaText !== null}
        onSchema={() => setSchemaText(schemaText === null ? '' : null)}
        onAdd={columns.length < columnsMax ? () => keep([...columns, { model: '', sessionId: null }]) : null}
        onKeep={beginAnew}
        onDelete={() => setDeleting(true)}
      />
      {schemaText !== null && <SchemaField text={schemaText} fault={output.fault} onChange={setSchemaText} />}
      <div
        className="divide-line grid min-h-0 flex-1 auto-cols-[minmax(min(20rem,100%),1fr)] grid-flow-col divide-x overflow-x-auto"
        tabIndex={0}
        role="region"
        aria-label="Conversations"
      >
        {columns.map((column, index) => (
          <PlaygroundColumn
            key={`${index} ${column.sessionId ?? ''}`}
            number={index + 1}
            column={column}
            options={options}
            onModel={(model) => keep(columns.map((one, at) => (at === index ? { ...one, model } : one)))}
            onRemove={columns.length > 1 ? () => keep(columns.filter((_, at) => at !== index)) : null}
          />
        ))}
      </div>
      {agent && <Sender agentId={agent.id} columns={columns} output={output} onBegun={keep} />}
      {isDeleting && agent && (
        <DeleteSessions sessionIds={begun} name={agent.name} onClose={() => setDeleting(false)} onDeleted={beginAnew} />
      )}
    </div>
  );
}

function Head({
  agents,
  agentId,
  onAgent,
  isBegun,
  hasSchema,
  onSchema,
  onAdd,
  onKeep,
  onDelete,
}: {
  agents: readonly PlaygroundAgent[];
  agentId: string;
  onAgent: (id: string) => void;
  isBegun: boolean;
  hasSchema: boolean;
  onSchema: () => void;
  onAdd: (() => void) | null;
  onKeep: () => void;
  onDelete: () => void;
}) {
  return (
    <header className="border-line bg-surface flex flex-wrap items-end justify-between gap-3 border-b px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-end gap-4">
        <h1 className="pb-1 text-lg font-semibold">Playground</h1>
        <Select
          label="Agent"
          className="w-52"
          value={agentId}
          disabled={isBegun}
          onChange={(event) => onAgent(event.target.value)}
          options={agents.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button icon="code" onClick={onSchema}>
          {hasSchema ? 'Without a schema' : 'Output schema'}
        </Button>
        <Button icon="plus" disabled={onAdd === null} onClick={() => onAdd?.()}>
          Add a model
        </Button>
        {isBegun && <Button onClick={onKeep}>Keep, begin anew</Button>}
        {isBegun && (
          <Button icon="trash" needs="svc.resource.use" onClick={onDelete}>
            Delete sessions…
          </Button>
        )}
      </div>
    </header>
  );
}

function SchemaField({
  text,
  fault,
  onChange,
}: {
  text: string;
  fault: string | null;
  onChange: (text: string) => void;
}) {
  return (
    <div className="border-line bg-surface max-h-[40dvh] overflow-y-auto border-b px-4 py-3">
      <CodeEditor
        label="JSON Schema of the output"
        language="json"
        value={text}
        onChange={onChange}
        minLines={4}
        maxLines={10}
        hint={fault ?? 'The turn fails when its answer does not meet it.'}
      />
    </div>
  );
}
