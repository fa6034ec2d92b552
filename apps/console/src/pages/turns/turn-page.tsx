import { useEffect, useMemo, useState } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import type { Reply } from '@aos/client';
import { call } from '../../api/call';
import { useItem, useService, useWrite } from '../../api/hooks';
import {
  Button,
  Card,
  durationText,
  EmptyState,
  ErrorNote,
  Facts,
  Id,
  ItemView,
  numberText,
  Page,
  Status,
  Time,
} from '../../ui';
import { useSessionFeed } from '../sessions/session/use-session-feed';
import { JsonText } from '../sessions/text/json-text';
import { visibleText } from '../sessions/text/visible-text';
import { ItemRow } from '../sessions/shown/item-row';
import type { SessionFeed } from '../sessions/transcript/session-feed';
import { TranscriptContext, useItems, useKeyed } from '../sessions/transcript/transcript-context';
import { isOpen, type Item } from '../sessions/transcript/transcript-items';
import { turnDuration, waitText, whatToDo } from '../sessions/transcript/turn-facts';
import { spansOf, turnSteps, type Span, type TurnStep } from './turn-steps';

type Turn = Reply<'getSessionTurn'>;

const rowsMax = 2_000;

export default function TurnPage() {
  const { id = '', turnId = '' } = useParams({ strict: false }) as { id?: string; turnId?: string };
  const turn = useItem(call('sessions', 'getTurn', id, turnId));
  return (
    <Page title="Turn" back={{ to: `/sessions/${id}`, label: 'Session' }} lead={<Id value={turnId} />} call={turn.call}>
      <ItemView item={turn}>{(value) => <OneTurn key={turnId} sessionId={id} read={value} />}</ItemView>
    </Page>
  );
}

function OneTurn({ sessionId, read }: { sessionId: string; read: Turn }) {
  const feed = useSessionFeed(sessionId);
  const watched = useMemo(() => ({ feed, sessionId }), [feed, sessionId]);
  const live = useKeyed(feed.view.turns, read.id);
  const turn: Turn = live !== undefined && live.updated_at > read.updated_at ? { ...read, ...live } : read;
  const rows = useTurnRows(feed, read.id);
  const items = useTurnItems(feed, read.id);
  const own = [...feed.view.rows.all()].filter((row) => row.turn_id === read.id);
  const steps = turnSteps(own, (callId) => feed.view.results.get(callId));
  const first = own.reduce<number | null>(
    (least, { sequence }) => (sequence === null ? least : Math.min(least ?? sequence, sequence)),
    null,
  );
  return (
    <TranscriptContext value={watched}>
      {turn.status === 'failed' && <Failure turn={turn} />}
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title="Steps" flush>
            <Steps steps={steps} isLoading={rows.isLoading} />
          </Card>
          {turn.output !== undefined && (
            <Card title="Output">
              <JsonText label={`Meets the schema; given by ${turn.output_source ?? 'the model'}`} value={turn.output} />
            </Card>
          )}
          <section aria-label="Rows" className="flex flex-col gap-2.5">
            <h2 className="text-sm font-semibold">Rows</h2>
            {rows.error && <ErrorNote error={rows.error} />}
            {items.map((item) => (
              <ItemRow key={item.key} item={item} />
            ))}
            {rows.isCut && (
              <p className="text-muted">The first {numberText(rowsMax)} rows are shown. The session has them all.</p>
            )}
          </section>
        </div>
        <About turn={turn} firstRow={first} />
      </div>
    </TranscriptContext>
  );
}

function Failure({ turn }: { turn: Turn }) {
  return (
    <div
      role="note"
      aria-label="Why it failed"
      className="border-bad/40 bg-bad-soft flex flex-col gap-1 rounded-md border px-4 py-3"
    >
      <p className="font-medium">
        It failed: <code className="font-mono text-xs">{turn.error_type ?? 'unknown'}</code>
        {turn.error_scope !== undefined && ' (the time budget of the turn ran out)'}
      </p>
      <p dir="auto" className="[overflow-wrap:anywhere] whitespace-pre-wrap">
        {visibleText((turn.error_message ?? '').slice(0, 4_000))}
      </p>
      <p className="text-muted">{whatToDo(turn.error_type)}</p>
    </div>
  );
}

function About({ turn, firstRow }: { turn: Turn; firstRow: number | null }) {
  const usage = turn.usage ?? {};
  const cancel = useWrite((_: null) => call('turns', 'cancel', turn.session_id, turn.id), {
    done: 'Cancelled',
    changes: ['sessions'],
  });
  const count = (name: string, value: number | undefined) =>
    value === undefined ? null : ([name, numberText(value)] as const);
  return (
    <Card
      title="About"
      actions={
        isOpen(turn) && (
          <Button
            icon="stop"
            busy={cancel.isPending}
            needs={call('turns', 'cancel', turn.session_id, turn.id)}
            onClick={() => cancel.mutate(null)}
          >
            Cancel
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {cancel.error && <ErrorNote error={cancel.error} />}
        <Facts
          facts={[
            ['State', <Status key="state" value={turn.status} />],
            waitText(turn) === null ? null : ['Waits', waitText(turn)],
            ['Came', <Time key="came" at={turn.created_at} form="whole" />],
            turn.completed_at === undefined
              ? null
              : ['Ended', <Time key="ended" at={turn.completed_at} form="whole" />],
            turn.completed_at === undefined ? null : ['Took', durationText(turnDuration(turn, 0))],
            ['Attempt', turn.attempt],
            turn.effective_timeout_seconds === undefined ? null : ['Time limit', `${turn.effective_timeout_seconds} s`],
            turn.routine_name === undefined ? null : ['Routine', turn.routine_name],
            count('Model calls', usage.calls),
            count('Tokens in', usage.input_tokens),
            count('From the cache', usage.cache_read_input_tokens),
            count('Into the cache', usage.cache_creation_input_tokens),
            count('Tokens out', usage.output_tokens),
            count('Reasoning', usage.reasoning_tokens),
          ]}
        />
        <Link
          to="/sessions/$id"
          params={{ id: turn.session_id }}
          search={(firstRow === null ? {} : { row: String(firstRow) }) as never}
          className="text-accent font-medium underline underline-offset-2"
        >
          Show it in its session
        </Link>
      </div>
    </Card>
  );
}

const kindWords: Readonly<Record<TurnStep['kind'], string>> = {
  input: 'Input',
  context: 'Context',
  model: 'Model call',
  tool: 'Tool call',
  nudge: 'Nudge',
  outcome: 'Answer',
  compaction: 'Compaction',
};

function Steps({ steps, isLoading }: { steps: readonly TurnStep[]; isLoading: boolean }) {
  if (steps.length === 0 && !isLoading)
    return (
      <EmptyState icon="clock" title="It has done nothing yet">
        Its steps appear here as soon as they are made.
      </EmptyState>
    );
  const spans = spansOf(steps);
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Steps of the turn">
      <table className="w-full border-collapse text-left">
        <thead>
          <tr className="text-muted text-xs">
            <th scope="col" className="px-4 py-2 font-medium">
              Step
            </th>
            <th scope="col" className="px-4 py-2 font-medium">
              What
            </th>
            <th scope="col" className="px-4 py-2 text-right font-medium max-sm:hidden">
              At
            </th>
            <th scope="col" className="px-4 py-2 font-medium max-sm:hidden">
              Course
            </th>
            <th scope="col" className="px-4 py-2 text-right font-medium">
              Took
            </th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ key, kind, what, at, took, status }, index) => (
            <tr key={key} className="border-line border-t">
              <td className="px-4 py-2 whitespace-nowrap">{kindWords[kind]}</td>
              <td className="w-full max-w-0 px-4 py-2">
                <span className="flex items-center gap-2">
                  <span dir="auto" className={`min-w-0 truncate ${kind === 'tool' ? 'font-mono text-xs' : ''}`}>
                    {visibleText(what)}
                  </span>
                  {status !== null && <Status value={status} />}
                </span>
              </td>
              <td className="text-muted px-4 py-2 text-right text-xs max-sm:hidden">
                <Time at={at} form="clock" />
              </td>
              <td className="px-4 py-2 max-sm:hidden">
                <Bar span={spans[index] ?? null} kind={kind} />
              </td>
              <td className="px-4 py-2 text-right tabular-nums whitespace-nowrap">
                {took === null ? '' : durationText(took)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** When a step was under way, within the time from the first to the last; the time beside it says how long. */
function Bar({ span, kind }: { span: Span | null; kind: TurnStep['kind'] }) {
  if (span === null) return null;
  const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
  return (
    <span aria-hidden="true" data-bar className="bg-sunken relative block h-2 w-40 overflow-hidden rounded-full">
      <span
        className={`absolute inset-y-0 min-w-0.5 rounded-full ${kind === 'tool' ? 'bg-info' : 'bg-accent'}`}
        style={{ left: `min(${percent(span.from)}, 100% - 2px)`, width: percent(span.length) }}
      />
    </span>
  );
}

/** Reads the rows of the turn into the feed, which has those that come. */
function useTurnRows(feed: SessionFeed, turnId: string): { isLoading: boolean; isCut: boolean; error: Error | null } {
  const svc = useService();
  const [state, setState] = useState<{ isLoading: boolean; isCut: boolean; error: Error | null }>({
    isLoading: true,
    isCut: false,
    error: null,
  });
  useEffect(() => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const read = async () => {
      let count = 0;
      const query = { limit: 100, include: 'context', include_terminal_partials: true } as const;
      for await (const { items } of svc.turns.listMessages(turnId, query, { signal }).pages()) {
        feed.view.addRows(items);
        count += items.length;
        if (count >= rowsMax) return true;
      }
      return false;
    };
    read()
      .then((isCut) => setState({ isLoading: false, isCut, error: null }))
      .catch((error: unknown) => {
        if (!signal.aborted)
          setState({
            isLoading: false,
            isCut: false,
            error: error instanceof Error ? error : new Error(String(error)),
          });
      });
    return () => stopping.abort();
  }, [svc, feed, turnId]);
  return state;
}

/** What the transcript shows of one turn, but the line at which it begins. */
function useTurnItems(feed: SessionFeed, turnId: string): Item[] {
  const items = useItems(feed);
  return useMemo(
    () =>
      items.filter((item) => {
        if (item.kind === 'row') return feed.view.rows.get(item.rowId)?.turn_id === turnId;
        if (item.kind === 'end') return item.turnId === turnId && feed.view.turns.get(turnId)?.status !== 'failed';
        return (
          item.kind === 'question' &&
          feed.view.interactions.get(item.interactionId)?.consumer?.agent_tool?.invocation_id === turnId
        );
      }),
    [items, feed, turnId],
  );
}
