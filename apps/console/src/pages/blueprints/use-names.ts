import { call } from '../../api/call';
import { useAgents } from '../../api/use-agents';
import { useAll } from '../../api/use-all';

const page = { limit: 100 } as const;
const max = 1_000;

/** Names of definitions by their ids, since bindings have ids alone. */
export function useNames(): ReadonlyMap<string, string> {
  const agents = useAgents();
  const skills = useAll(call('skills', 'list', page), { max });
  const actions = useAll(call('actions', 'list', page), { max });
  const tables = useAll(call('tables', 'list', page), { max });
  return new Map(
    [agents, skills, actions, tables].flatMap(({ rows }) => rows.map(({ id, name }) => [id, name] as const)),
  );
}
