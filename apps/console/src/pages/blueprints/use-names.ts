import { call } from '../../api/call';
import { useAgents } from '../../api/use-agents';
import { useAll } from '../../api/use-all';

const page = { limit: 100 } as const;

/** Names of definitions by their ids, since bindings have ids alone. */
export function useNames(): ReadonlyMap<string, string> {
  const agents = useAgents();
  const skills = useAll(call('skills', 'list', page));
  const actions = useAll(call('actions', 'list', page));
  const tables = useAll(call('tables', 'list', page));
  return new Map(
    [agents, skills, actions, tables].flatMap(({ rows }) => rows.map(({ id, name }) => [id, name] as const)),
  );
}
