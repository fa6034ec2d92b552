import { call } from '../api/call';
import { useRows } from '../api/hooks';

type Names = ReadonlyMap<string, string>;

const atOnce = 100;

/** Names of agents by id: of the first hundred; what is missing shows its id. */
export function useAgentNames({ enabled = true } = {}): Names {
  const { rows } = useRows(call('agents', 'list', { limit: atOnce }), { enabled });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Names of principals by id, disabled ones too: of the first hundred; what is missing shows its id. */
export function usePrincipalNames({ enabled = true } = {}): Names {
  const { rows } = useRows(call('principals', 'list', { limit: atOnce, include_disabled: true }), { enabled });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
