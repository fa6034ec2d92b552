import {
  type Agent,
  type Block,
  Client,
  type Message,
  type TurnAck,
  allRows,
  converse,
  createAgent,
  eventually,
  invoke,
  person,
  reaches,
  readTurn,
  said,
  script,
  settled,
  startTurn,
  unique,
  timeFor,
} from '../harness/index.js';

interface Entry {
  name: string;
  source: string;
  endpoint_kind: string;
  annotations: Record<string, boolean>;
  input_schema?: { required?: string[] };
}
interface Called {
  name: string;
  input: Record<string, unknown>;
  resolved_action?: { name: string; input: Record<string, unknown> };
}

const api = Client.owner();
const builtin = ['svc.table', 'svc.memory', 'svc.interaction', 'svc.event', 'svc.skill', 'svc.artifact'].map(
  (selector) => ({ selector_type: 'group', selector }),
);

const call = (name: string, input: object = {}) => ({ call: { name, input } });

function granted(selectors: object[], fields: Record<string, unknown> = {}): Promise<Agent> {
  return createAgent(api, { name: unique('tools'), action_selectors: selectors, ...fields });
}

const blocksOf = (rows: Message[], type: string): Block[] =>
  rows.flatMap(({ content }) => content.filter((block) => block.type === type));

/** Plays the calls and gives what the session holds of them. */
async function played(
  agent: Agent,
  ...steps: object[]
): Promise<{
  ack: TurnAck;
  rows: Message[];
  calls: Called[];
  results: { error: boolean; text: string; json: Record<string, unknown> }[];
}> {
  const { ack, turn } = await converse(api, agent.id, script(...steps, { say: 'done' }));
  expect(turn).toMatchObject({ status: 'completed' });
  return { ack, ...(await held(ack)) };
}

async function held(ack: TurnAck) {
  const rows = await allRows(api, ack.session_id);
  const results = blocksOf(rows, 'tool_result').map((block) => {
    const text = String(block.content);
    return {
      error: block.is_error === true,
      text,
      json: (/^[{].*[}]$/s.test(text) ? JSON.parse(text) : {}) as Record<string, unknown>,
    };
  });
  return { rows, calls: blocksOf(rows, 'tool_use') as unknown as Called[], results };
}

describe('presentation and grants', () => {
  it('R40, R41: built-in actions are in the catalog with their schemas', async () => {
    const { items } = await api.get<{ items: Entry[] }>('/v1/catalog/actions');
    const found = items.filter(({ name }) => name.startsWith('svc.'));
    expect(found.map(({ name }) => name)).toEqual([...found.map(({ name }) => name)].sort());
    expect(found).toHaveLength(20);
    for (const entry of found)
      expect(entry).toMatchObject({ source: 'platform', endpoint_kind: 'builtin', input_schema: { type: 'object' } });
    expect(await api.get<Entry>('/v1/catalog/actions/svc.table.save_row')).toMatchObject({
      input_schema: { required: ['table', 'data'] },
    });
  });

  it('R6, S39: flat names lead to actions; the block keeps its wire shape and says where it led', async () => {
    const agent = await granted(builtin);
    const { calls, results } = await played(agent, call('svc_table_list', { limit: 1 }));
    expect(calls).toMatchObject([
      { name: 'svc_table_list', input: { limit: 1 }, resolved_action: { name: 'svc.table.list', input: { limit: 1 } } },
    ]);
    expect(results).toMatchObject([{ error: false, json: { items: expect.any(Array) as unknown[] } }]);
  });

  it('R7: meta routers take {command, args}, and help lists commands', async () => {
    const agent = await granted(builtin, { tool_presentation: 'meta' });
    const { calls, results } = await played(
      agent,
      call('svc_table', { command: 'list', args: { limit: 1 } }),
      call('svc_table', { command: 'help' }),
      call('svc_table', { command: 'none' }),
    );
    expect(calls[0]).toMatchObject({
      name: 'svc_table',
      input: { command: 'list' },
      resolved_action: { name: 'svc.table.list', input: { limit: 1 } },
    });
    expect(calls[1]).not.toHaveProperty('resolved_action');
    expect(results).toMatchObject([
      { error: false },
      { error: false, text: expect.stringContaining('"save_row"') as string },
      { error: true },
    ]);
  });

  it('A24: what no selector names is not there', async () => {
    const agent = await granted([{ selector_type: 'exact', selector: 'svc.table.list' }]);
    const { calls, results } = await played(
      agent,
      call('svc_table_list'),
      call('svc_table_get', { table: 'x' }),
      call('svc.table.list'),
    );
    expect(results.map(({ error }) => error)).toEqual([false, true, true]);
    expect(calls.map(({ resolved_action: action }) => action?.name)).toEqual(['svc.table.list', undefined, undefined]);
  });

  it('invariant 27: a grant that is gone when the call is made is an error', async () => {
    const agent = await granted(builtin);
    const ack = await invoke(
      api,
      agent.id,
      script(
        { call: { name: 'svc_memory_recall', input: {} } },
        { wait_ms: await timeFor(api, 6) },
        call('svc_memory_remember', { key: 'k', content: 'c' }),
        { say: 'end' },
      ),
    );
    await eventually('the first result', async () => (await held(ack)).results.length > 0);
    await api.patch(`/v1/agents/${agent.id}`, {
      action_selectors: [{ selector_type: 'group', selector: 'svc.table' }],
    });
    await settled(api, ack);
    const { results, calls } = await held(ack);
    expect(results).toMatchObject([{ error: false }, { error: true, json: { error: { code: 'permission_denied' } } }]);
    expect(calls[1]?.resolved_action?.name).toBe('svc.memory.remember');
  });
});

describe('built-in actions', () => {
  it('tables: save, query, get and delete rows; a refusal is an error that the model reads', async () => {
    const name = unique('t').replaceAll('-', '_');
    await api.post(
      '/v1/tables',
      {
        name,
        schema: {
          identity_column: 'key',
          columns: [
            { name: 'key', type: 'string' },
            { name: 'n', type: 'number' },
          ],
        },
      },
      201,
    );
    const agent = await granted(builtin);
    const { results } = await played(
      agent,
      call('svc_table_save_row', { table: name, data: { key: 'a', n: 1 } }),
      call('svc_table_query_rows', { table: name, filter: { n: 1 } }),
      call('svc_table_get_row', { table: name, identity: 'a' }),
      call('svc_table_delete_row', { table: name, identity: 'a' }),
      call('svc_table_get_row', { table: name, identity: 'a' }),
      call('svc_table_save_row', { table: name }),
    );
    expect(results).toMatchObject([
      { json: { created: true, row: { data: { key: 'a', n: 1 } } } },
      { json: { items: [{ data: { key: 'a' } }] } },
      { json: { data: { n: 1 } } },
      { json: { deleted: true } },
      { error: true, json: { error: { code: 'not_found' } } },
      { error: true, json: { error: { code: 'invalid_argument' } } },
    ]);
  });

  it('memory: remember, recall and forget', async () => {
    const agent = await granted(builtin);
    const { results } = await played(
      agent,
      call('svc_memory_remember', { key: 'colour', content: 'likes blue' }),
      call('svc_memory_recall', { query: 'blue' }),
      call('svc_memory_recall', { key: 'colour' }),
      call('svc_memory_forget', { key: 'colour' }),
    );
    expect(results).toMatchObject([
      { json: { created: true } },
      { json: { items: [{ key: 'colour' }] } },
      { json: { entry: { content: 'likes blue' } } },
      { json: { forgotten: true } },
    ]);
  });

  it('R19, R20: an invoked skill narrows the turn, and misses what it requires', async () => {
    const skill = (fields: object) =>
      api.post<{ id: string; name: string }>(
        '/v1/skills',
        { name: unique('skill'), instructions: 'Read rows only.', ...fields },
        201,
      );
    const reading = await skill({ allowed_actions: ['svc.table.list'] });
    const lacking = await skill({ required_actions: ['absent.action'] });
    const agent = await granted(builtin, { skill_ids: [reading.id, lacking.id] });
    const { results } = await played(
      agent,
      call('svc_skill_invoke', { name: lacking.name }),
      call('svc_interaction_list'),
      call('svc_skill_invoke', { name: reading.name }),
      call('svc_interaction_list'),
      call('svc_table_list'),
      call('svc_memory_recall'),
    );
    expect(results.map(({ error }) => error)).toEqual([true, false, false, true, false, false]);
    expect(results[2]?.json).toMatchObject({ instructions: 'Read rows only.' });
  });

  it('T9, T10: a question parks the turn on svc.event.wait until somebody answers', async () => {
    const target = await person(api);
    const agent = await granted(builtin);
    const asked = { kind: 'request_approval', title: 'Ship it?', target_user_ids: [target.id] };
    const first = await played(agent, call('svc_interaction_open', asked));
    const interactionId = String(first.results[0]?.json.id);
    const ack = await startTurn(
      api,
      first.ack.session_id,
      script(call('svc_event_wait', { interaction_id: interactionId }), { say: 'after' }),
    );
    const parked = (await reaches(api, ack, 'waiting')) as unknown as { wait: object };
    expect(parked.wait).toMatchObject({ kind: 'interaction', interaction_id: interactionId });
    await target.client.post(`/v1/interactions/${interactionId}/respond`, { value: true }, 200);
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    const { rows, results } = await held(ack);
    expect(results[1]).toMatchObject({
      error: false,
      json: { event_type: 'interaction.resolved', interaction_id: interactionId },
    });
    expect(said(rows.at(-1))).toBe('after');
    const again = await played(
      agent,
      call('svc_event_wait', { interaction_id: interactionId }),
      call('svc_interaction_get', { interaction_id: interactionId }),
    );
    expect(again.results).toMatchObject([
      { json: { interaction: { status: 'completed' } } },
      { json: { status: 'completed' } },
    ]);
    expect((await readTurn(api, again.ack)).status).toBe('completed');
  });
});
