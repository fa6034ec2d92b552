import {
  type Agent,
  type Block,
  Client,
  type Message,
  type Session,
  type TurnAck,
  allRows,
  converse,
  createAgent,
  createSession,
  eventually,
  person,
  script,
  settled,
  unique,
  timeFor,
} from '../harness/index.js';

/** A long list is cut in the transcript, and is no JSON then. */
interface Result {
  error: boolean;
  text: string;
  json: Record<string, unknown>;
}
interface Interaction {
  id: string;
  status: string;
}
type Person = Awaited<ReturnType<typeof person>>;

const api = Client.owner();
const call = (name: string, input: object = {}) => ({ call: { name, input } });
const builtins = ['svc.table', 'svc.memory', 'svc.interaction', 'svc.event', 'svc.skill'].map((selector) => ({
  selector_type: 'group',
  selector,
}));

async function results(who: Client, ack: { session_id: string }): Promise<Result[]> {
  const rows: Message[] = await allRows(who, ack.session_id);
  const blocks: Block[] = rows.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  return blocks.map(({ is_error: error, content }) => {
    const text = String(content);
    return { error: error === true, text, json: text.endsWith('}') ? (JSON.parse(text) as Result['json']) : {} };
  });
}

/** One turn of a person with the agent, in a new session of theirs. */
async function played(who: Client, agent: Agent, ...steps: object[]): Promise<{ ack: TurnAck; results: Result[] }> {
  const { ack, turn } = await converse(who, agent.id, script(...steps, { say: 'done' }));
  expect(turn).toMatchObject({ status: 'completed' });
  return { ack, results: await results(who, ack) };
}

async function asked(who: Person, agent: Agent, title: string): Promise<string> {
  const {
    results: [opened],
  } = await played(
    who.client,
    agent,
    call('svc_interaction_open', {
      kind: 'request_information',
      title,
      target_user_ids: [who.id],
      spec: { questions: [{ id: 'q', prompt: title, mode: 'input' }] },
    }),
  );
  expect(opened).toMatchObject({ error: false });
  return String(opened?.json.id);
}

const refused = (code: string) => ({ error: true, json: { error: { code } } });

let agent: Agent;
let ann: Person;
let bob: Person;

beforeAll(async () => {
  [agent, ann, bob] = [
    await createAgent(api, { name: unique('shared'), action_selectors: builtins, memory_enabled: true }),
    await person(api),
    await person(api),
  ];
});

describe('rule A33: a shared agent is no tunnel between people', () => {
  it("one person's turn does not list, read, answer, cancel or wait for what the agent asked another", async () => {
    const [open, closed] = [
      await asked(ann, agent, 'Annas question'),
      await asked(ann, agent, 'Annas question, answered'),
    ];
    await ann.client.post(
      `/v1/interactions/${closed}/respond`,
      { answers: [{ question_id: 'q', text: 'Annas answer' }] },
      200,
    );
    const { results: bobs } = await played(
      bob.client,
      agent,
      call('svc_interaction_list'),
      call('svc_interaction_get', { interaction_id: closed }),
      call('svc_event_wait', { interaction_id: closed }),
      call('svc_event_wait', { interaction_id: open }),
      call('svc_interaction_respond', { interaction_id: open, value: 'x' }),
      call('svc_interaction_cancel', { interaction_id: open }),
    );
    expect(bobs[0]?.error).toBe(false);
    for (const secret of [open, closed, 'Annas question', 'Annas answer'])
      expect(JSON.stringify(bobs)).not.toContain(secret);
    expect(bobs.slice(1)).toMatchObject(Array.from({ length: 5 }, () => refused('not_found')));
    expect((await ann.client.get<Interaction>(`/v1/interactions/${open}`)).status).toBe('pending');

    const { results: anns } = await played(
      ann.client,
      agent,
      call('svc_interaction_list'),
      call('svc_interaction_get', { interaction_id: open }),
      call('svc_interaction_cancel', { interaction_id: open }),
    );
    for (const id of [open, closed]) expect(anns[0]?.text).toContain(id);
    expect(anns.slice(1)).toMatchObject([
      { error: false, json: { id: open } },
      { error: false, json: { status: 'cancelled' } },
    ]);
  });

  it('S30, R36: a nudge that starts a turn acts for who sent it', async () => {
    const question = await asked(ann, agent, 'For the nudge');
    const session = await createSession(api, agent.id, { visibility: 'organization' });
    const nudged = await ann.client.post<{ delivery: string; turn: { id: string } }>(
      `/v1/sessions/${session.id}/nudges`,
      {
        content: script(
          call('svc_memory_remember', { key: 'mine', content: 'of ann' }),
          call('svc_interaction_get', { interaction_id: question }),
          { say: 'done' },
        ),
      },
      202,
    );
    expect(nudged.delivery).toBe('new_turn');
    await settled(api, { session_id: session.id, turn_id: nudged.turn.id });
    const [remembered, seen] = await results(api, { session_id: session.id });
    expect(remembered).toMatchObject({ error: false, json: { entry: { key: 'mine', user_id: ann.id } } });
    expect(seen).toMatchObject({ error: false, json: { id: question } });
  });

  it('a turn no longer acts for a person who is disabled while it runs', async () => {
    const carl = await person(api);
    const ack = await carl.client.post<TurnAck>(
      '/v1/agents/invoke',
      {
        agent_ref: { id: agent.id },
        session: { mode: 'new', visibility: 'organization' },
        input: {
          content: [
            {
              type: 'text',
              text: script(
                call('svc_table_list', { limit: 1 }),
                { wait_ms: await timeFor(api, 6) },
                call('svc_table_list', { limit: 1 }),
                { say: 'done' },
              ),
            },
          ],
        },
      },
      202,
    );
    await eventually('the first result', async () => (await results(api, ack)).length > 0);
    await api.patch(`/v1/principals/${carl.id}`, { state: 'disabled' });
    await settled(api, ack);
    expect(await results(api, ack)).toMatchObject([{ error: false }, refused('permission_denied')]);
  });
});

describe('rule A32: an agent is a principal with roles and a state', () => {
  const roleId = async (name: string) =>
    (await api.get<{ items: { id: string; name: string }[] }>('/v1/roles', { limit: 100 })).items.find(
      (role) => role.name === name,
    )?.id ?? '';

  it('a Viewer agent reads rows and writes none; asking needs the use permission too', async () => {
    const name = unique('t').replaceAll('-', '_');
    await api.post(
      '/v1/tables',
      { name, schema: { identity_column: 'key', columns: [{ name: 'key', type: 'string' }] } },
      201,
    );
    const viewer = await createAgent(api, { name: unique('viewer'), action_selectors: builtins, memory_enabled: true });
    await api.post('/v1/role-assignments', { principal_id: viewer.id, role_id: await roleId('Viewer') }, 201);
    const { results: found } = await played(
      ann.client,
      viewer,
      call('svc_table_query_rows', { table: name }),
      call('svc_table_save_row', { table: name, data: { key: 'a' } }),
      call('svc_table_delete_row', { table: name, identity: 'a' }),
      call('svc_memory_remember', { key: 'k', content: 'c' }),
      call('svc_memory_recall', {}),
      call('svc_interaction_open', { kind: 'request_approval', title: 'Go?', target_user_ids: [ann.id] }),
    );
    const denied = {
      error: true,
      json: { error: { code: 'permission_denied', details: { permission: 'svc.resource.use' } } },
    };
    expect(found).toMatchObject([{ error: false }, denied, denied, denied, { error: false }, denied]);
  });

  it('no role gives an agent more than use: an administrator among agents sees no more than the others', async () => {
    const question = await asked(ann, agent, 'Between us');
    const admin = await createAgent(api, { name: unique('admin'), action_selectors: builtins });
    await api.post('/v1/role-assignments', { principal_id: admin.id, role_id: await roleId('Admin') }, 201);
    const asking = call('svc_interaction_get', { interaction_id: question });
    // administration is nothing that an agent holds
    expect((await played(api, admin, asking)).results).toMatchObject([refused('permission_denied')]);
    await api.post('/v1/role-assignments', { principal_id: admin.id, role_id: await roleId('User') }, 201);
    expect((await played(api, admin, asking)).results).toMatchObject([refused('not_found')]);
  });

  it('a disabled agent ends its turns at their next boundary and begins none', async () => {
    const stopped = await createAgent(api, { name: unique('stopped'), action_selectors: builtins });
    const first = await converse(api, stopped.id, 'hello');
    const session: Session = await createSession(api, stopped.id);
    const ack = await api.post<TurnAck>(
      `/v1/sessions/${session.id}/turns`,
      {
        input: {
          content: [
            {
              type: 'text',
              text: script(
                call('svc_table_list', { limit: 1 }),
                { wait_ms: await timeFor(api, 6) },
                call('svc_table_list', { limit: 1 }),
                { say: 'done' },
              ),
            },
          ],
        },
      },
      202,
    );
    await eventually('the first result', async () => (await results(api, ack)).length > 0);
    await api.patch(`/v1/principals/${stopped.id}`, { state: 'disabled' });
    expect(await settled(api, ack)).toMatchObject({ status: 'failed', error_type: 'agent_unavailable' });
    await api.refused('agent_inactive', 'POST', '/v1/agents/invoke', {
      body: { agent_ref: { id: stopped.id }, input: { content: [{ type: 'text', text: 'x' }] } },
    });
    await api.refused('agent_inactive', 'POST', `/v1/sessions/${first.ack.session_id}/turns`, {
      body: { input: { content: [{ type: 'text', text: 'x' }] } },
    });
    await api.refused('agent_inactive', 'POST', `/v1/sessions/${first.ack.session_id}/nudges`, {
      body: { content: 'x' },
    });
    await api.patch(`/v1/principals/${stopped.id}`, { state: 'active' });
    expect((await converse(api, stopped.id, 'again')).turn).toMatchObject({ status: 'completed' });
  });
});
