import type { Reply } from '@aos/client';
import { call } from './call';
import { useAll, type All } from './use-all';

type Agent = Reply<'getAgent'>;

const atOnce = 100;

/** The first thousand agents; those of one status where it is given. */
export function useAgents({ status, enabled }: { status?: Agent['status']; enabled?: boolean } = {}): All<Agent> {
  return useAll(call('agents', 'list', { status, limit: atOnce }), { enabled });
}
