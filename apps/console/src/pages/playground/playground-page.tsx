import { useState, type KeyboardEvent } from 'react';
import { Link } from '@tanstack/react-router';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows, useService } from '../../api/hooks';
import { useLacks } from '../../api/permissions';
import { useToast } from '../../api/say';
import { Button, CallShown, CodeEditor, EmptyState, ErrorNote, LacksNote, Select } from '../../ui';
import { columnsMax, columnsOf, filtersOf, outputSchemaOf, type Column } from './playground-columns';
import { DeleteSessions } from './delete-sessions';
import { PlaygroundColumn } from './playground-column';
import { useTitle } from './use-title';

type Invocation = RequestBody<'invokeAgent'>;

export default function PlaygroundPage() {
  useTitle('Playground');
  const lacks = useLacks('svc.resource.use');
  const agents = useRows(call('agents', 'list', { status: 'active', limit: 100 }));
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

function Simple({ children }: { children: React.ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-4 py-5 md:px-8 md:py-7">
      <h1 className="text-xl font-semibold">Playground</h1>
      {children}
    </div>
  );
}

function Playground({ agents }: { agents: readonly { id: string; name: string; model?: string }[] }) {
  const [filters, setFilters] = useFilters();
  const columns = columnsOf(filters);
  const agent = agents.find(({ id }) => id === filters['agent']) ?? agents[0];
  const models = useRows(call('catalog', 'listModels'));
  const [schemaText, setSchemaText] = useState('');
  const [hasSchema, setHasSchema] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const output = hasSchema ? outputSchemaOf(schemaText) : { schema: null, fault: null };
  const begun = columns.flatMap(({ sessionId }) => sessionId ?? []);
  const isBegun = begun.length > 0;
  const keep = (next: readonly Column[]) => setFilters({ agent: agent?.id ?? '', ...filtersOf(next) });
  const change = (index: number, part: Partial<Column>) =>
    keep(columns.map((column, at) => (at === index ? { ...column, ...part } : column)));
  const options = [
    { value: '', label: `Agent’s own${agent?.model ? ` (${agent.model})` : ''}` },
    ...models.rows.flatMap(({ models: of }) => of).map(({ id, label }) => ({ value: id, label })),
  ];
  return (
    <div className="flex h-[calc(100dvh-3rem)] min-h-0 flex-col md:h-dvh">
      <header className="border-line bg-surface flex flex-wrap items-end justify-between gap-3 border-b px-4 py-3">
        <div className="flex min-w-0 flex-wrap items-end gap-4">
          <h1 className="pb-1 text-lg font-semibold">Playground</h1>
          <Select
            label="Agent"
            className="w-52"
            value={agent?.id ?? ''}
            disabled={isBegun}
            onChange={(event) => setFilters({ agent: event.target.value })}
            options={agents.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </div>
        <div className="flex flex-wrap gap-2">
          <Button icon="code" aria-pressed={hasSchema} onClick={() => setHasSchema(!hasSchema)}>
            {hasSchema ? 'Without a schema' : 'Output schema'}
          </Button>
          <Button
            icon="plus"
            disabled={columns.length >= columnsMax}
            onClick={() => keep([...columns, { model: '', sessionId: null }])}
          >
            Add a model
          </Button>
          {isBegun && (
            <Button onClick={() => keep(columns.map(({ model }) => ({ model, sessionId: null })))}>
              Keep, begin anew
            </Button>
          )}
          {isBegun && (
            <Button icon="trash" needs="svc.resource.use" onClick={() => setDeleting(true)}>
              Delete sessions…
            </Button>
          )}
        </div>
      </header>
      {hasSchema && (
        <div className="border-line bg-surface max-h-[40dvh] overflow-y-auto border-b px-4 py-3">
          <CodeEditor
            label="JSON Schema of the output"
            language="json"
            value={schemaText}
            onChange={setSchemaText}
            minLines={4}
            maxLines={10}
            hint={output.fault ?? 'The turn fails when its answer does not meet it.'}
          />
        </div>
      )}
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
            onModel={(model) => change(index, { model })}
            onRemove={columns.length > 1 ? () => keep(columns.filter((_, at) => at !== index)) : null}
          />
        ))}
      </div>
      {agent && (
        <Sender
          agentId={agent.id}
          columns={columns}
          schema={output.schema}
          isHeld={hasSchema && output.fault !== null}
          onBegun={(next) => keep(next)}
        />
      )}
      {isDeleting && agent && (
        <DeleteSessions
          sessionIds={begun}
          name={agent.name}
          onClose={() => setDeleting(false)}
          onDeleted={() => keep(columns.map(({ model }) => ({ model, sessionId: null })))}
        />
      )}
    </div>
  );
}

/** One message for all columns: it begins a session in those that have none, and a turn in the others. */
function Sender({
  agentId,
  columns,
  schema,
  isHeld,
  onBegun,
}: {
  agentId: string;
  columns: readonly Column[];
  schema: Record<string, unknown> | null;
  isHeld: boolean;
  onBegun: (columns: readonly Column[]) => void;
}) {
  const svc = useService();
  const toast = useToast();
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly Error[]>([]);
  const bodies = columns.map(({ model }) => invocation(agentId, model, text, schema));
  const output = schema === null ? {} : { output: { schema } };

  const sendTo = async ({ model, sessionId }: Column): Promise<Column> => {
    if (sessionId === null) {
      const { session_id: begun } = await svc.agents.invoke(invocation(agentId, model, text, schema));
      return { model, sessionId: begun };
    }
    await svc.turns.start(sessionId, {
      input: { content: [{ type: 'text', text }] },
      ...output,
    } as RequestBody<'startTurn'>);
    return { model, sessionId };
  };
  const send = async () => {
    if (text.trim() === '' || isBusy || isHeld) return;
    setBusy(true);
    const settled = await Promise.allSettled(columns.map(sendTo));
    setErrors(settled.flatMap((one) => (one.status === 'rejected' ? [asError(one.reason)] : [])));
    if (settled.some(({ status }) => status === 'fulfilled')) {
      onBegun(settled.map((one, index) => (one.status === 'fulfilled' ? one.value : (columns[index] as Column))));
      setText('');
    }
    if (settled.every(({ status }) => status === 'rejected')) toast('Nothing was sent');
    setBusy(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className="border-line bg-surface border-t">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-3 py-3 md:px-4">
        {errors.map((error, index) => (
          <ErrorNote key={index} error={error} />
        ))}
        <div className="border-line-strong/60 focus-within:border-accent rounded-lg border">
          <textarea
            aria-label="Message"
            dir="auto"
            rows={Math.min(8, Math.max(2, text.split('\n').length))}
            placeholder={columns.length > 1 ? `Write to all ${columns.length}…` : 'Write to the agent…'}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            className="placeholder:text-muted block w-full resize-none bg-transparent px-3 pt-2.5 pb-1 outline-none"
          />
          <div className="flex flex-wrap items-center gap-2 px-2 pb-2">
            <CallShown call={call('agents', 'invoke', bodies[0] as Invocation)} />
            <span className="text-muted text-2xs max-sm:hidden">Enter sends, Shift+Enter breaks the line</span>
            <span className="flex-1" />
            <Button
              look="primary"
              icon="send"
              busy={isBusy}
              disabled={text.trim() === '' || isHeld}
              onClick={() => void send()}
            >
              Send
            </Button>
          </div>
        </div>
        {columns.some(({ sessionId }) => sessionId !== null) && (
          <p className="text-muted text-xs">
            The conversations are sessions, kept until they are deleted. They stand in{' '}
            <Link to="/sessions" search={{ metadata: 'playground:true' } as never} className="underline">
              Sessions
            </Link>{' '}
            too.
          </p>
        )}
      </div>
    </div>
  );
}

function invocation(agentId: string, model: string, text: string, schema: Record<string, unknown> | null): Invocation {
  return {
    agent_ref: { id: agentId },
    session: {
      mode: 'new',
      title: 'Playground',
      metadata: { playground: true },
      ...(model === '' ? {} : { model_override: model }),
    },
    input: { content: [{ type: 'text', text }] },
    ...(schema === null ? {} : { output: { schema } }),
  } as unknown as Invocation;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
