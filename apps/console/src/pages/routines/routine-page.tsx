import { useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useItem } from '../../api/hooks';
import { AgentName, PrincipalName, SessionLink } from '../../names/name';
import { Card, Facts, Id, ItemView, Page, Status, Tabs, Time, numberText } from '../../ui';
import { EditRoutine } from './edit-routine';
import { nextRuns } from './next-runs';
import { NextRuns } from './next-runs-view';
import { Occurrences } from './occurrences';
import type { Routine } from './routine-draft';
import { DeleteRoutine, RoutineActions } from './routine-actions';
import { RoutineChanges } from './routine-changes';
import { Roster } from './roster';
import { TriggerText } from './schedule-text';
import { useWhenDue } from './use-when-due';

const shownRuns = 5;

/** One routine: when it runs, what it hands its agent, what its runs became, and who changed it. */
export default function RoutinePage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const [{ view = 'runs' }, setFilters] = useFilters();
  const routine = useItem(call('routines', 'get', id));
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const { data } = routine;
  useWhenDue(data ? [data] : [], () => void routine.refetch());
  const close = (): void => setOpen(null);
  return (
    <Page
      title={data?.name ?? 'Routine'}
      back={{ to: '/routines', label: 'Routines' }}
      lead={data && <Status value={data.status} />}
      call={routine.call}
      actions={data && <RoutineActions of={data} onOpen={setOpen} />}
    >
      <ItemView item={routine}>
        {(value) => (
          <>
            <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="flex min-w-0 flex-col gap-5">
                <Instructions of={value} />
                <Tabs
                  label="Of this routine"
                  value={view}
                  onChange={(next) => setFilters({ view: next === 'runs' ? '' : next })}
                  tabs={[
                    { value: 'runs', label: 'Runs', content: <Occurrences of={value} /> },
                    { value: 'changes', label: 'Changes', content: <RoutineChanges id={value.id} /> },
                    { value: 'people', label: 'People', content: <Roster of={value} /> },
                  ]}
                />
              </div>
              <div className="flex min-w-0 flex-col gap-5">
                <WhenCard of={value} />
                <AboutCard of={value} />
              </div>
            </div>
            {open === 'edit' && <EditRoutine of={value} onClose={close} />}
            {open === 'delete' && <DeleteRoutine of={value} onClose={close} />}
          </>
        )}
      </ItemView>
    </Page>
  );
}

function Instructions({ of: { instructions = '' } }: { of: Routine }) {
  return (
    <Card title="Instructions">
      <p dir="auto" className="max-h-80 overflow-y-auto break-words whitespace-pre-wrap" tabIndex={0}>
        {instructions}
      </p>
    </Card>
  );
}

function WhenCard({ of }: { of: Routine }) {
  const { schedule, event, status, next_fire_at: due, pause_reason: reason, timezone } = of;
  const dueMs = due ? Date.parse(due) : null;
  const times = schedule && dueMs !== null ? nextRuns({ ...schedule, timezone }, dueMs - 1, shownRuns, dueMs) : [];
  return (
    <Card title={event ? 'Runs on an event' : 'Next runs'}>
      <div className="flex flex-col gap-3">
        <p>
          <TriggerText of={of} />
        </p>
        {event?.condition && (
          <p className="text-muted text-xs">
            when <code className="font-mono break-words">{event.condition}</code>
          </p>
        )}
        {event?.integration_id && (
          <p className="text-muted text-xs">
            of the connection <Id value={event.integration_id} short />
          </p>
        )}
        {times.length > 0 && <NextRuns times={times} timezone={timezone} />}
        {status === 'paused' && (
          <p className="text-warn">
            {reason ? `Paused: ${reason.replace(/_/g, ' ')}.` : 'Paused.'} What falls due meanwhile starts nothing.
          </p>
        )}
        {status === 'completed' && <p className="text-muted">It has run its last time.</p>}
        {status === 'cancelled' && <p className="text-muted">It was deleted, and does not run any more.</p>}
      </div>
    </Card>
  );
}

function AboutCard({ of }: { of: Routine }) {
  const credits = (milli: number): string => `${numberText(milli / 1000)} credits`;
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Id', <Id key="id" value={of.id} short />],
          ['Agent', <AgentName key="agent" id={of.agent_id} />],
          of.origin_session_id ? ['Session', <SessionLink key="session" id={of.origin_session_id} />] : null,
          ['Owner', of.owner_kind === 'team' ? 'The team' : <PrincipalName key="owner" id={of.owner_id} />],
          ['Managed by', of.managed_by === 'team' ? 'All who may build' : 'Owner and managers'],
          ['Runs so far', numberText(of.occurrence_count)],
          of.last_fire_at ? ['Last run', <Time key="last" at={of.last_fire_at} />] : null,
          of.schedule?.starts_at ? ['Not before', <Time key="starts" at={of.schedule.starts_at} form="whole" />] : null,
          of.schedule?.ends_at ? ['Not after', <Time key="ends" at={of.schedule.ends_at} form="whole" />] : null,
          of.schedule?.max_occurrences ? ['Runs at most', numberText(of.schedule.max_occurrences)] : null,
          ['A run', `at most ${credits(of.per_occurrence_ceiling_milli)}`],
          ['A day', `at most ${credits(of.daily_ceiling_milli)}`],
          ['Made', <Time key="made" at={of.created_at} form="whole" />],
          ['Changed', <Time key="changed" at={of.updated_at} />],
        ]}
      />
    </Card>
  );
}
