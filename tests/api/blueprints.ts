import { type Agent, Client, type Page, unique } from '../harness/index.js';

export const api = Client.owner();

export interface Binding {
  resource_type: string;
  key: string;
  resource_id: string;
  protected: boolean;
  delete_on_destroy: boolean;
  namespace?: string;
  blueprint_key?: string;
  blueprint_version?: string;
}
export interface Change {
  resource_type: string;
  key: string;
  action: string;
  resource_id?: string;
  name?: string;
  fields?: string[];
  values?: { field: string; before?: unknown; after?: unknown }[];
}
export interface Result {
  status: string;
  namespace?: string;
  blueprint_key?: string;
  blueprint_version?: string;
  changes: Change[];
  bindings: Binding[];
}
export interface Deleted {
  status: string;
  namespace?: string;
  blueprint_key: string;
  deleted: Binding[];
  retained: Binding[];
}
export interface Skill {
  id: string;
  name: string;
  instructions: string;
  title?: string;
  allowed_actions: string[];
  owner: { kind: string };
  visibility: string;
}

export const identity = () => ({ namespace: unique('ns'), blueprint_key: unique('bp') });
export const apply = (body: Record<string, unknown>, who = api, query: { include?: string } = {}) =>
  who.post<Result>(`/v1/blueprints/apply${query.include === undefined ? '' : `?include=${query.include}`}`, body, 200);
export const preview = (body: Record<string, unknown>, who = api, query: { include?: string } = {}) =>
  apply({ ...body, mode: 'preview' }, who, query);
export const refused = (code: string, body: Record<string, unknown>, who = api, invalid = false) =>
  who.refused(code, 'POST', '/v1/blueprints/apply', { body, invalid });
export const bindingsOf = async (query: Record<string, string>) =>
  (await api.get<{ items: Binding[] }>('/v1/blueprints/bindings', query)).items;
export const agentNamed = async (name: string) => (await api.get<Page<Agent>>('/v1/agents', { name })).items[0];
export const actions = (result: Result) => result.changes.map(({ action }) => action);

/** One skill and one agent that has it. */
export function pair(prefix = unique('pair')): {
  skills: Record<string, unknown>[];
  agents: Record<string, unknown>[];
} {
  return {
    skills: [
      { key: 'writing', name: `${prefix}-skill`, title: 'Writing', instructions: 'Write well.', tags: { team: 'a' } },
    ],
    agents: [
      {
        key: 'writer',
        name: `${prefix}-agent`,
        description: 'writes',
        color: 'teal',
        model_route: { mode: 'managed' },
        tool_presentation: 'meta',
        action_selectors: [{ selector_type: 'exact', selector: 'svc.table.save_row' }],
        system_prompt: 'You write.',
        timeout_seconds: 60,
        status: 'active',
        compaction_policy: { strategy: 'manual' },
        thinking_effort: 'medium',
        tags: { team: 'a' },
        skills: [{ key: 'writing' }],
      },
    ],
  };
}

/** One resource of each type. */
export function all(prefix = unique('all').replaceAll('-', '_')) {
  return {
    tables: [
      {
        key: 'notes',
        name: `${prefix}_notes`,
        description: 'Notes.',
        instructions: 'One row a note.',
        schema: {
          identity_column: 'id',
          columns: [
            { name: 'id', type: 'string', required: true },
            { name: 'text', type: 'string' },
          ],
        },
      },
    ],
    actions: [
      {
        key: 'send',
        name: `acme.${prefix}`,
        type: 'http',
        endpoint: 'https://acme.example/send',
        title: 'Send',
        description: 'Sends.',
        tags: { team: 'a' },
        input_schema: { type: 'object', properties: { to: { type: 'string' } } },
        output_schema: { type: 'object' },
        annotations: { destructive: true, long_running: true },
      },
    ],
    ...pair(prefix),
  };
}
