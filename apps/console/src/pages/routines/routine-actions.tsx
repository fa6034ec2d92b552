import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useRows, useWrite } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { Button, DestroyByName, ErrorNote, Menu } from '../../ui';
import type { Routine } from './routine-draft';

/** Whether the reader is among those who may change it; the permission that is needed else. */
export function useManaging({ id, managed_by: by, owner_id: owner }: Routine): 'svc.resource.build' | 'svc.org.admin' {
  const { principal, permissions } = useMe();
  const isFree = by === 'team' || owner === principal.id || permissions.includes('svc.org.admin');
  const { rows } = useRows(call('routines', 'listPrincipals', id), { enabled: !isFree });
  const isManager = rows.some(
    ({ principal_id: one, relationship }) => one === principal.id && relationship === 'manager',
  );
  return isFree || isManager ? 'svc.resource.build' : 'svc.org.admin';
}

/** Run now, pause and resume; editing and deleting. */
export function RoutineActions({ of, onOpen }: { of: Routine; onOpen: (what: 'edit' | 'delete') => void }) {
  const needs = useManaging(of);
  const run = useWrite(() => call('routines', 'runNow', of.id), { done: 'A run was started', changes: ['sessions'] });
  const pause = useWrite(() => call('routines', 'pause', of.id), { done: 'Paused' });
  const resume = useWrite(() => call('routines', 'resume', of.id), {
    done: ({ status }) => (status === 'paused' ? 'It cannot go on yet' : 'It goes on from now'),
  });
  if (of.status === 'cancelled') return null;
  const isPaused = of.status === 'paused';
  const way = isPaused ? resume : pause;
  const failed = run.error ?? pause.error ?? resume.error;
  return (
    <>
      {failed && (
        <div className="order-last basis-full">
          <ErrorNote error={failed} />
        </div>
      )}
      {of.status !== 'completed' && (
        // one button: the focus stays on it
        <Button
          icon={isPaused ? 'play' : 'pause'}
          needs={needs}
          busy={way.isPending}
          onClick={() => way.mutate(undefined)}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      )}
      <Button look="primary" icon="play" needs={needs} busy={run.isPending} onClick={() => run.mutate(undefined)}>
        Run now
      </Button>
      <Menu
        label="More"
        items={[
          { label: 'Edit…', icon: 'edit', needs, onSelect: () => onOpen('edit') },
          { label: 'Delete…', icon: 'trash', danger: true, needs, onSelect: () => onOpen('delete') },
        ]}
      />
    </>
  );
}

export function DeleteRoutine({ of, onClose }: { of: Routine; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <DestroyByName
      onClose={onClose}
      title="Delete this routine"
      name={of.name}
      consequence="It never runs again and cannot be resumed. Runs under way go on, and its history stays."
      call={call('routines', 'delete', of.id)}
      done={`${of.name} was deleted`}
      onDone={() => void navigate({ to: '/routines' })}
    />
  );
}
