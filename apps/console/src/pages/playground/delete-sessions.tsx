import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call';
import { useService } from '../../api/hooks';
import { ConfirmByName } from '../../ui';
import { useToast } from '../../api/say';

/** Deletes the sessions of the playground, once the name of their agent was typed. */
export function DeleteSessions({
  sessionIds,
  name,
  onClose,
  onDeleted,
}: {
  sessionIds: readonly string[];
  name: string;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const svc = useService();
  const client = useQueryClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const count = sessionIds.length === 1 ? 'session' : `${sessionIds.length} sessions`;
  const remove = async () => {
    setBusy(true);
    try {
      for (const id of sessionIds) {
        await svc.sessions.cancel(id); // one with an open turn is not deleted
        await svc.sessions.delete(id);
      }
      void client.invalidateQueries({ queryKey: ['sessions'] });
      toast(`Deleted the ${count}`);
      onDeleted();
      onClose();
    } catch (fault) {
      setError(fault instanceof Error ? fault : new Error(String(fault)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <ConfirmByName
      open
      onClose={onClose}
      title={`Delete the ${count} of the playground`}
      name={name}
      consequence="Open turns are cancelled, and the transcripts are not to be read any more."
      call={call('sessions', 'delete', sessionIds[0] ?? '')}
      onConfirm={() => void remove()}
      busy={isBusy}
      error={error}
    />
  );
}
