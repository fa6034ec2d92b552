import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { Dialog, FormEnd } from '../../ui';
import { createBody, newDraft, type CreateBody, type RoutineDraft } from './routine-draft';
import { RoutineFields } from './routine-fields';

export function NewRoutine({ agentId = '', onClose }: { agentId?: string; onClose: () => void }) {
  const navigate = useNavigate();
  const { principal } = useMe();
  const [draft, setDraft] = useState<RoutineDraft>(() => ({
    ...newDraft(agentId),
    ownerKind: principal.kind === 'human' ? 'person' : 'team',
  }));
  const create = useWrite((body: CreateBody) => call('routines', 'create', body), {
    done: ({ name }) => `${name} was made`,
    onDone: ({ id }) => void navigate({ to: '/routines/$id', params: { id } }),
  });
  const making = call('routines', 'create', createBody(draft));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(createBody(draft));
  };
  return (
    <Dialog open wide onClose={onClose} title="New routine">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <RoutineFields isNew draft={draft} onChange={(part) => setDraft((before) => ({ ...before, ...part }))} />
        <FormEnd call={making} write={create} onClose={onClose}>
          Make routine
        </FormEnd>
      </form>
    </Dialog>
  );
}
