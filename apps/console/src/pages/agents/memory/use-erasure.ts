import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { call, carryOut } from '../../../api/call';
import { useService } from '../../../api/hooks';
import { useToast } from '../../../api/say';

/** Calls until nothing is left: far more than a partition has. */
const callsMax = 1_000;

/** Erases a person's partition: one call erases a part of it. */
export function useErasure(agentId: string, onDone: () => void): UseMutationResult<number, Error, string> {
  const svc = useService();
  const client = useQueryClient();
  const say = useToast();
  return useMutation({
    mutationFn: async (person: string) => {
      let erased = 0;
      for (let calls = 0; calls < callsMax; calls += 1) {
        const part = await carryOut(svc, call('agents', 'eraseMemoryPartition', agentId, person));
        erased += part.erased_count;
        if (!part.has_more) return erased;
      }
      throw new Error(`${erased} entries were erased, and there are more. Erase again.`);
    },
    onSuccess: (erased) => {
      void client.invalidateQueries({ queryKey: ['agents'] });
      say(erased === 1 ? 'One entry was erased' : `${erased} entries were erased`);
      onDone();
    },
  });
}
