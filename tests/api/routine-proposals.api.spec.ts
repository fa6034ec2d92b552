import {
  type Agent,
  type Block,
  type Page,
  Client,
  allRows,
  converse,
  createAgent,
  issueKey,
  person,
  script,
  unique,
} from '../harness/index.js';

interface Proposal {
  id: string;
  status: string;
  session_id: string;
  agent_id: string;
  proposed_to: string;
  routine_id?: string;
  reason?: string;
  created_at: string;
  expires_at: string;
  payload: Record<string, unknown>;
}
interface Routine {
  id: string;
  name: string;
  status: string;
  owner_kind: string;
  owner_id?: string;
}

jest.setTimeout(180_000);

const api = Client.owner();
const dayMs = 24 * 60 * 60 * 1000;
const proposer = (fields: Record<string, unknown> = {}) =>
  createAgent(api, {
    name: unique('proposer'),
    action_selectors: [{ selector_type: 'exact', selector: 'svc.routine.propose' }],
    ...fields,
  });
const request = (agent: Agent, more: Record<string, unknown> = {}) => ({
  agent_id: agent.id,
  name: unique('proposed'),
  instructions: 'Look at it.',
  per_occurrence_ceiling_milli: 0,
  daily_ceiling_milli: 0,
  schedule: { interval: '24h' },
  ...more,
});

/** Has an agent propose in a turn of a caller; gives what the model is answered for each. */
async function propose(
  caller: Client,
  agent: Agent,
  ...inputs: Record<string, unknown>[]
): Promise<{ error: boolean; text: string; proposal: Proposal }[]> {
  const calls = inputs.map((input) => ({ call: { name: 'svc_routine_propose', input } }));
  const { ack, turn } = await converse(caller, agent.id, script(...calls, { say: 'done' }));
  expect(turn).toMatchObject({ status: 'completed' });
  const rows = await allRows(caller, ack.session_id);
  const blocks: Block[] = rows.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  return blocks.map((block) => {
    const text = String(block.content);
    const error = block.is_error === true;
    return { error, text, proposal: (error ? {} : JSON.parse(text)) as Proposal };
  });
}
async function proposed(caller: Client, agent: Agent, input: Record<string, unknown>): Promise<Proposal> {
  const [answer] = await propose(caller, agent, input);
  expect(answer).toMatchObject({ error: false });
  if (!answer) throw new Error('nothing was proposed');
  return answer.proposal;
}
const path = (id: string, act: 'approve' | 'dismiss') => `/v1/routines/proposals/${id}/${act}`;
const proposals = async (caller: Client, query: Record<string, string | number> = {}): Promise<Proposal[]> =>
  (await caller.get<Page<Proposal>>('/v1/routines/proposals', { limit: 100, ...query })).items;

async function userWithoutBuild(): Promise<{ client: Client }> {
  const permissions = ['svc.resource.use'];
  const role = await api.post<{ id: string }>(
    '/v1/roles',
    { name: unique('role'), description: 'd', permissions },
    201,
  );
  const named = { name: unique('person'), kind: 'human', role_ids: [role.id] };
  const { id } = await api.post<{ id: string }>('/v1/principals', named, 201);
  const issued = await api.post<{ key: string }>('/v1/api-keys', { name: unique('key'), principal_id: id }, 201);
  return { client: api.as(issued.key) };
}

describe('TE19: proposals of routines', () => {
  it('are made to the person of the turn, who alone sees and approves them; the routine is theirs', async () => {
    const [ada, bob] = await Promise.all([person(api, 'Admin'), person(api, 'Owner')]);
    const agent = await proposer();
    const wanted = request(agent);
    const made = await proposed(ada.client, agent, { request: wanted, reason: 'You ask each day.' });
    expect(made).toMatchObject({
      status: 'pending',
      agent_id: agent.id,
      proposed_to: ada.id,
      payload: wanted,
      reason: 'You ask each day.',
    });
    expect(made.id).toMatch(/^rprop_[0-9a-z]{20,}$/);
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(7 * dayMs);
    expect(await proposals(ada.client)).toEqual([made]);
    for (const other of [bob.client, api]) {
      expect((await proposals(other)).map(({ id }) => id)).not.toContain(made.id);
      await other.refused('not_found', 'POST', path(made.id, 'approve'));
      await other.refused('not_found', 'POST', path(made.id, 'dismiss'));
    }

    const [first, second] = await Promise.all([
      ada.client.send('POST', path(made.id, 'approve')),
      ada.client.send('POST', path(made.id, 'approve')),
    ]);
    const routine = first.body as Routine;
    expect([first.status, second.status].sort()).toEqual([200, 201]);
    expect(routine).toMatchObject({ owner_kind: 'person', owner_id: ada.id, name: wanted.name, status: 'active' });
    expect((second.body as Routine).id).toBe(routine.id);
    expect(await ada.client.post(path(made.id, 'approve'), undefined, 200)).toMatchObject({ id: routine.id });
    const own = await ada.client.get<Page<Routine>>('/v1/routines', { owner_id: ada.id });
    expect(own.items.map(({ id }) => id)).toEqual([routine.id]);
    expect(await ada.client.post(path(made.id, 'dismiss'), undefined, 200)).toMatchObject({
      status: 'approved',
      routine_id: routine.id,
    });
    expect(await proposals(ada.client, { status: 'pending' })).toEqual([]);
    expect(await proposals(ada.client, { status: 'approved' })).toMatchObject([{ routine_id: routine.id }]);
  });

  it('are dismissed once and for all', async () => {
    const ada = await person(api, 'Admin');
    const agent = await proposer();
    const { id } = await proposed(ada.client, agent, { request: request(agent) });
    for (let repeat = 0; repeat < 2; repeat += 1)
      expect(await ada.client.post(path(id, 'dismiss'), undefined, 200)).toMatchObject({ id, status: 'dismissed' });
    expect(await ada.client.refused('conflict', 'POST', path(id, 'approve'))).toEqual({ status: 'dismissed' });
    const own = await ada.client.get<Page<Routine>>('/v1/routines', { owner_id: ada.id });
    expect(own.items).toEqual([]);
  });

  it('are judged again when they are approved: permission to build, and reach of the agent', async () => {
    const [user, ada, bob] = await Promise.all([userWithoutBuild(), person(api, 'Admin'), person(api, 'Admin')]);
    const agent = await proposer({ owner: { kind: 'person', id: bob.id } });
    const { id } = await proposed(user.client, agent, { request: request(agent) });
    await user.client.refused('permission_denied', 'POST', path(id, 'approve'));
    expect(await proposals(user.client)).toMatchObject([{ id, status: 'pending' }]);

    const made = await proposed(ada.client, agent, { request: request(agent) });
    await bob.client.patch(`/v1/agents/${agent.id}`, { visibility: 'private' });
    await ada.client.refused('not_found', 'POST', path(made.id, 'approve'));
    await bob.client.patch(`/v1/agents/${agent.id}`, { visibility: 'organization', confirm_visibility_change: true });
    await ada.client.post(path(made.id, 'approve'), undefined, 201);
  });

  it("go to the agent's owner when a turn acts for no person, and fail without one", async () => {
    const ada = await person(api, 'Admin');
    const software = api.as((await issueKey(api, 'Owner')).key);
    const owned = await proposer({ owner: { kind: 'person', id: ada.id } });
    const { id, proposed_to } = await proposed(software, owned, { request: request(owned) });
    expect(proposed_to).toBe(ada.id);
    expect(await proposals(ada.client)).toMatchObject([{ id }]);
    const shared = await proposer({ owner: { kind: 'team' } });
    expect(await propose(software, shared, { request: request(shared) })).toMatchObject([
      { error: true, text: expect.stringContaining('conflict') as string },
    ]);
  });

  it('are refused as the request for the routine would be, and leave nothing', async () => {
    const ada = await person(api, 'Admin');
    const agent = await proposer();
    const answers = await propose(
      ada.client,
      agent,
      { request: request(agent, { owner_kind: 'team' }) },
      { request: request(agent, { schedule: { cron: '* * * * * *' } }) },
      { request: request(agent, { agent_id: 'agent_00000000000000000000000000' }) },
      { request: request(agent, { instructions: 'x'.repeat(32 * 1024 + 1) }) },
      { request: request(agent, { kind: 'notify' }) },
      { request: { agent_id: agent.id } },
    );
    expect(answers.map(({ error }) => error)).toEqual(Array.from({ length: 6 }, () => true));
    const codes = [
      'invalid_argument',
      'invalid_argument',
      'invalid_argument',
      'bad_request',
      'unsupported_routine_kind',
    ];
    codes.forEach((code, index) => {
      expect(answers[index]?.text).toContain(code);
    });
    expect(await proposals(ada.client)).toEqual([]);
  });

  it('20 of a person wait at once; pages lead through them, newest first', async () => {
    const ada = await person(api, 'Admin');
    const agent = await proposer();
    const inputs = Array.from({ length: 21 }, () => ({ request: request(agent) }));
    const [most, rest] = [inputs.slice(0, 11), inputs.slice(11)];
    const answers = (
      await Promise.all([propose(ada.client, agent, ...most), propose(ada.client, agent, ...rest)])
    ).flat();
    expect(answers.filter(({ error }) => error)).toMatchObject([
      { text: expect.stringContaining('conflict') as string },
    ]);
    const first = await ada.client.get<Page<Proposal>>('/v1/routines/proposals', { limit: 15 });
    const next = await ada.client.get<Page<Proposal>>('/v1/routines/proposals', {
      limit: 15,
      cursor: first.next_cursor ?? '',
    });
    expect([first.has_more, next.has_more]).toEqual([true, false]);
    const all = [...first.items, ...next.items];
    expect(new Set(all.map(({ id }) => id)).size).toBe(20);
    const times = all.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    await ada.client.post(path(all[0]?.id ?? '', 'dismiss'), undefined, 200);
    await proposed(ada.client, agent, { request: request(agent) });
  });
});
