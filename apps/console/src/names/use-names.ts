import { useMemo } from 'react';
import { call } from '../api/call';
import { useAgents } from '../api/use-agents';
import { useAll } from '../api/use-all';

type Names = ReadonlyMap<string, string>;

const atOnce = 100;

/** Names of agents by id, of the first thousand; what is missing shows its id. */
export function useAgentNames({ enabled = true } = {}): Names {
  const { rows } = useAgents({ enabled });
  return useMemo(() => namesOf(rows), [rows]);
}

/** Names of principals by id, disabled ones too, of the first thousand; what is missing shows its id. */
export function usePrincipalNames({ enabled = true } = {}): Names {
  const query = { limit: atOnce, include_disabled: true };
  const { rows } = useAll(call('principals', 'list', query), { enabled });
  return useMemo(() => namesOf(rows), [rows]);
}

function namesOf(rows: readonly { id: string; name: string }[]): Names {
  return new Map(rows.map(({ id, name }) => [id, name]));
}
