import {
  Client,
  type IssuedKey,
  type Page,
  type Session,
  type Turn,
  allRows,
  converse,
  createAgent,
  eventually,
  person,
  said,
  script,
  unique,
} from '../harness/index.js';

interface Routine {
  id: string;
  owner_kind: string;
  owner_id?: string;
}
interface Occurrence {
  id: string;
  status: string;
  session_id?: string;
  turn_id?: string;
  error_code?: string;
  event_type?: string;
}

jest.setTimeout(180_000);

const api = Client.owner();
const free = { per_occurrence_ceiling_milli: 0, daily_ceiling_milli: 0 };
const later = { schedule: { interval: '24h' } };

const make = (client: Client, agentId: string, more: Record<string, unknown>) =>
  client.post<Routine>('/v1/routines', { agent_id: agentId, instructions: 'Look at it.', ...free, ...more }, 201);
const run = (client: Client, id: string) => client.post<Occurrence>(`/v1/routines/${id}/run`, undefined, 202);
const runsOf = async (id: string) =>
  (await api.get<Page<Occurrence>>('/v1/routines/occurrences', { routine_id: id, limit: 100 })).items;
const ended = (id: string, count: number) =>
  eventually(`${count} ended runs`, async () => {
    const found = await runsOf(id);
    const open = found.filter(({ status }) => status === 'pending' || status === 'admitted');
    return found.length >= count && open.length === 0 ? found : null;
  });

/** Messages of the agent that callers wrote; runs of routines write messages too. */
const messagesOf = (agentId: string) => ({
  event: { event_type: 'session.message.created', condition: `event.agent_id == "${agentId}" && meta.role == "user"` },
});

/** A key of a principal, capped by a role with these permissions. */
async function cappedKey(permissions: string[], principalId: string): Promise<Client> {
  const role = await api.post<{ id: string }>('/v1/roles', { name: unique('role'), permissions }, 201);
  const body = { name: unique('key'), principal_id: principalId, scope_role_id: role.id };
  return api.as((await api.post<IssuedKey>('/v1/api-keys', body, 201)).key);
}

/** Software that may do what a User may. */
async function software(): Promise<string> {
  const { items } = await api.get<Page<{ id: string; name: string }>>('/v1/roles', { limit: 100 });
  const role = items.find(({ name }) => name === 'User');
  return (await api.post<{ id: string }>('/v1/principals', { name: unique('software'), role_ids: [role?.id] }, 201)).id;
}

async function sessionOf(run: Occurrence | undefined): Promise<Session> {
  return api.get<Session>(`/v1/sessions/${run?.session_id ?? ''}`);
}

/** What tools gave, oldest first. */
async function resultsIn(who: Client, sessionId: string): Promise<string[]> {
  const rows = await allRows(who, sessionId);
  return rows.flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result').map((block) => String(block.content)),
  );
}

/**
 * An agent that events of the tests come from, another one that routines run, and a mark for the end of what happened
 * so far.
 */
async function stage() {
  const [talker, worker] = await Promise.all([createAgent(api), createAgent(api)]);
  const marked = async () => {
    const marker = await make(api, worker.id, messagesOf(talker.id));
    await converse(api, talker.id, 'mark');
    await ended(marker.id, 1);
    await api.call('DELETE', `/v1/routines/${marker.id}`);
  };
  return { talker, worker, marked };
}

describe('what a routine may do', () => {
  it("rule A34: a team's routine hears what the organization's own principal sees without administration, whoever made or changed it", async () => {
    const { talker, worker, marked } = await stage();
    const [admin, ann, bob] = await Promise.all([person(api, 'Owner'), person(api), person(api)]);
    const [made, byKey] = await Promise.all([
      make(admin.client, worker.id, { owner_kind: 'team', ...messagesOf(talker.id) }),
      make(api, worker.id, messagesOf(talker.id)),
    ]);
    await converse(ann.client, talker.id, 'a private word');
    await bob.client.patch(`/v1/routines/${made.id}`, { instructions: 'Repeat what you read.' });
    await converse(ann.client, talker.id, 'another private word');
    await marked();
    const heard = await ended(made.id, 1);
    expect(heard).toHaveLength(1);
    expect(await ended(byKey.id, 1)).toHaveLength(1);
    const rows = await allRows(bob.client, String(heard[0]?.session_id));
    expect(JSON.stringify(rows)).toContain('mark');
    expect(JSON.stringify(rows)).not.toContain('private word');
  });

  it("rule A34: a team's routine runs as the last one who changed what it does, and never goes on in the session of the one before", async () => {
    const worker = await createAgent(api);
    const [ann, bob] = await Promise.all([person(api), person(api)]);
    const made = await make(ann.client, worker.id, {
      owner_kind: 'team',
      ...later,
      instructions: script({ say: 'for Ann' }),
    });
    const first = await run(ann.client, made.id);
    expect((await sessionOf(first)).owner).toMatchObject({ kind: 'person', id: ann.id });
    await bob.client.patch(`/v1/routines/${made.id}`, { name: 'Another name', daily_ceiling_milli: 5 });
    const second = await run(bob.client, made.id);
    expect(second.session_id).toBe(first.session_id);
    await bob.client.patch(`/v1/routines/${made.id}`, { instructions: script({ say: 'for Bob' }) });
    const third = await run(ann.client, made.id);
    expect((await sessionOf(third)).owner).toMatchObject({ kind: 'person', id: bob.id });
    await ended(made.id, 3);
    expect((await allRows(bob.client, String(third.session_id))).map(said)).not.toContain('for Ann');
    await ann.client.refused('not_found', 'GET', `/v1/sessions/${third.session_id ?? ''}`);
    expect((await run(ann.client, made.id)).session_id).toBe(third.session_id);
  });

  it("rule A34: a person's routine stays its owner's, and does no more than the key of its last change could", async () => {
    const { talker, worker, marked } = await stage();
    const [admin, ann] = await Promise.all([person(api, 'Owner'), person(api)]);
    const capped = await cappedKey(['svc.resource.build', 'svc.resource.use'], admin.id);
    const [whole, weak] = await Promise.all([
      make(admin.client, worker.id, messagesOf(talker.id)),
      make(capped, worker.id, messagesOf(talker.id)),
    ]);
    await converse(ann.client, talker.id, 'said to the agent');
    await ended(whole.id, 1);
    await capped.patch(`/v1/routines/${whole.id}`, { instructions: 'Look again.' });
    await converse(ann.client, talker.id, 'said later');
    await marked();
    const [ofWhole, ofWeak] = await Promise.all([ended(whole.id, 2), ended(weak.id, 1)]);
    expect([ofWhole.length, ofWeak.length]).toEqual([2, 1]);
    expect((await sessionOf(ofWhole[0])).owner).toMatchObject({ kind: 'person', id: admin.id });
    expect(JSON.stringify(await allRows(api, String(ofWhole[0]?.session_id)))).not.toContain('said later');
  });

  it('rule A34: tools of a run see no more than the key of the last change could', async () => {
    const asking = await createAgent(api, {
      action_selectors: [{ selector_type: 'group', selector: 'svc.interaction' }],
    });
    const [admin, ann] = await Promise.all([person(api, 'Owner'), person(api)]);
    const question = {
      kind: 'request_information',
      title: 'Of Ann',
      target_user_ids: [ann.id],
      spec: { questions: [{ id: 'q', prompt: 'Of Ann?', mode: 'input' }] },
    };
    const { ack } = await converse(
      ann.client,
      asking.id,
      script({ call: { name: 'svc_interaction_open', input: question } }, { say: 'asked' }),
    );
    const opened = await resultsIn(ann.client, ack.session_id);
    const { id } = JSON.parse(opened[0] ?? '') as { id: string };
    const looking = (say: string) =>
      script({ call: { name: 'svc_interaction_get', input: { interaction_id: id } } }, { say });
    const made = await make(admin.client, asking.id, { ...later, instructions: looking('one') });
    await run(admin.client, made.id);
    const [first] = await ended(made.id, 1);
    expect((await resultsIn(admin.client, String(first?.session_id)))[0]).toContain('Of Ann');
    const capped = await cappedKey(['svc.resource.build', 'svc.resource.use'], admin.id);
    await capped.patch(`/v1/routines/${made.id}`, { instructions: looking('two') });
    await run(admin.client, made.id);
    await ended(made.id, 2);
    expect((await resultsIn(admin.client, String(first?.session_id)))[1]).toContain('not_found');
  });

  it('rule A34: a key that may view and build runs no turns by a routine, made or changed', async () => {
    const worker = await createAgent(api);
    const ann = await person(api);
    const [ofTeam, ofAnn] = await Promise.all([
      cappedKey(['svc.resource.build'], await software()),
      cappedKey(['svc.resource.build'], ann.id),
    ]);
    await ofAnn.refused('permission_denied', 'POST', '/v1/agents/invoke', {
      body: {
        agent_ref: { id: worker.id },
        session: { mode: 'new' },
        input: { content: [{ type: 'text', text: 'x' }] },
      },
    });
    for (const key of [ofTeam, ofAnn]) {
      const made = await make(key, worker.id, later);
      expect(await run(key, made.id)).toMatchObject({ status: 'failed', error_code: 'permission_denied' });
    }
    const good = await make(ann.client, worker.id, later);
    expect(await run(ann.client, good.id)).not.toMatchObject({ status: 'failed' });
    await ofAnn.patch(`/v1/routines/${good.id}`, { instructions: 'Do more.' });
    expect(await run(ann.client, good.id)).toMatchObject({ status: 'failed', error_code: 'permission_denied' });
    await ann.client.patch(`/v1/routines/${good.id}`, { instructions: 'Do more, please.' });
    expect(await run(ann.client, good.id)).not.toMatchObject({ status: 'failed' });
  });

  it("rule A34: what its principal loses, a routine loses; a team's goes on as the organization when that principal is gone", async () => {
    const worker = await createAgent(api);
    const [ann, bob] = await Promise.all([person(api), person(api)]);
    const [own, teams] = await Promise.all([
      make(ann.client, worker.id, later),
      make(bob.client, worker.id, { ...later, owner_kind: 'team' }),
    ]);
    const { items } = await api.get<Page<{ id: string }>>('/v1/role-assignments', { principal_id: ann.id });
    for (const { id } of items) await api.call('DELETE', `/v1/role-assignments/${id}`);
    expect(await run(api, own.id)).toMatchObject({ status: 'failed', error_code: 'permission_denied' });
    await api.patch(`/v1/principals/${bob.id}`, { state: 'disabled' });
    const byOrganization = await run(api, teams.id);
    expect(await sessionOf(byOrganization)).toMatchObject({ owner: { kind: 'team' }, visibility: 'organization' });
    const [done] = await ended(teams.id, 1);
    expect(done).toMatchObject({ status: 'completed' });
    expect(await api.get<Turn>(`/v1/sessions/${done?.session_id ?? ''}/turns/${done?.turn_id ?? ''}`)).toMatchObject({
      status: 'completed',
    });
  });

  it("rule A34: a run never goes on in a session that another caller opened under the routine's key", async () => {
    const worker = await createAgent(api);
    const ann = await person(api);
    const made = await make(ann.client, worker.id, later);
    const planted = await api.post<Session>('/v1/sessions', { agent_id: worker.id, session_key: made.id }, 200);
    const first = await run(ann.client, made.id);
    expect(first.session_id).not.toBe(planted.id);
    expect(await sessionOf(first)).toMatchObject({ visibility: 'private', owner: { id: ann.id } });
    expect((await run(ann.client, made.id)).session_id).toBe(first.session_id);
  });
});
