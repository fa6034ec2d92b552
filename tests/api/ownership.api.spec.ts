import {
  type Artifact,
  type Message,
  type Page,
  type Session,
  Client,
  anotherOwner,
  callerWith,
  createAgent,
  createSession,
  eventsAfter,
  eventually,
  feedEnd,
  person,
  sendForm,
  unique,
  upload,
} from '../harness/index.js';

interface State {
  owner: { kind: string; id: string | null };
  visibility: string;
  container: { kind: string; id: string } | null;
  posture: string;
}
type Body = Record<string, unknown>;
type Someone = Awaited<ReturnType<typeof person>>;

const api = Client.owner();
const team = { kind: 'team', id: null };
const at = (type: string, id: string) => `/v1/resources/${type}/${id}/ownership`;
const own = (client: Client, type: string, id: string, body: Body) => client.patch<State>(at(type, id), body);
const refused = (code: string, client: Client, type: string, id: string, body: Body = { owner: team }) =>
  client.refused(code, 'PATCH', at(type, id), { body });
const widened = { owner: team, visibility: 'organization', confirm_audience_expansion: true };
const ofPerson = ({ id }: Someone) => ({ kind: 'person', id });

const skillOf = (client: Client, fields: Body = {}) =>
  client.post<{ id: string }>('/v1/skills', { name: unique('skill'), instructions: 'x', ...fields }, 201);
const tableOf = (client: Client, fields: Body = {}) =>
  client.post<{ id: string }>(
    '/v1/tables',
    {
      name: unique('table').toLowerCase().replaceAll('-', '_'),
      schema: { identity_column: 'a', columns: [{ name: 'a', type: 'string', required: true }] },
      ...fields,
    },
    201,
  );
const actionOf = (client: Client, fields: Body = {}) =>
  client.post<{ id: string }>(
    '/v1/actions',
    { name: unique('act'), endpoint_url: 'https://example.invalid/hook', ...fields },
    201,
  );
const routineOf = (client: Client, agentId: string, fields: Body = {}) =>
  client.post<{ id: string }>(
    '/v1/routines',
    {
      agent_id: agentId,
      instructions: 'Look.',
      schedule: { interval: '720h' },
      per_occurrence_ceiling_milli: 0,
      daily_ceiling_milli: 0,
      ...fields,
    },
    201,
  );

/** Each definition that a person has, private, with the path that reads it. */
async function privateThings({ client }: Someone): Promise<[type: string, id: string, path: string][]> {
  const agent = await createAgent(client, { visibility: 'private' });
  const skill = await skillOf(client, { visibility: 'private' });
  const table = await tableOf(client, { visibility: 'private' });
  const action = await actionOf(client, { visibility: 'private' });
  const artifact = await upload(client, 'bytes');
  return [
    ['agent', agent.id, `/v1/agents/${agent.id}`],
    ['skill', skill.id, `/v1/skills/${skill.id}`],
    ['table', table.id, `/v1/tables/${table.id}`],
    ['action', action.id, ''],
    ['artifact', artifact.id, `/v1/artifacts/${artifact.id}`],
  ];
}

describe('rule TE10: who owns a thing and who reaches it', () => {
  it("TE10: an administrator hands one's own things on, and a growing audience is confirmed", async () => {
    const [ann, bob] = [await person(api, 'Admin'), await person(api)];
    for (const [type, id, path] of await privateThings(ann)) {
      expect([type, await own(ann.client, type, id, { visibility: 'private' })]).toEqual([
        type,
        { owner: ofPerson(ann), visibility: 'private', container: null, posture: 'only_you' },
      ]);
      const growing = { owner: ofPerson(ann), visibility: 'organization' };
      expect(await refused('visibility_change_unconfirmed', ann.client, type, id, growing)).toMatchObject({
        visibility: 'private',
        requested_visibility: 'organization',
      });
      await refused('invalid_argument', ann.client, type, id, { owner: team });
      if (path !== '') await bob.client.refused('not_found', 'GET', path);
      expect(await own(ann.client, type, id, { owner: ofPerson(bob) })).toMatchObject({
        owner: ofPerson(bob),
        visibility: 'private',
        posture: 'someone_else',
      });
      if (path !== '') {
        expect(await bob.client.get(path)).toMatchObject({ owner: ofPerson(bob), visibility: 'private' });
        await ann.client.refused('not_found', 'GET', path);
      }
      await refused('not_found', ann.client, type, id);
    }
  });

  it('TE10: what a person had who is disabled or gone is handed on, and nothing of a person who is there', async () => {
    const [ann, bob, admin] = [await person(api), await person(api), await person(api, 'Admin')];
    const things = await privateThings(ann);
    const shared = await createAgent(bob.client, { visibility: 'organization' });
    for (const [type, id] of things) await refused('not_found', admin.client, type, id, widened);
    expect(await refused('permission_denied', admin.client, 'agent', shared.id, widened)).toMatchObject({
      reason: 'owner_active',
    });
    await api.patch(`/v1/principals/${ann.id}`, { state: 'disabled' });
    for (const [type, id, path] of things) {
      await refused('invalid_argument', admin.client, type, id, { owner: ofPerson(ann) });
      expect(await own(admin.client, type, id, widened)).toEqual({
        owner: team,
        visibility: 'organization',
        container: null,
        posture: 'team',
      });
      if (path !== '') expect(await bob.client.get(path)).toMatchObject({ owner: team, visibility: 'organization' });
      const again = await own(admin.client, type, id, widened);
      expect(again).toMatchObject({ owner: team });
    }
  });

  it('A30, TE10: the full body of a skill hands on what its sender or the team owns, and nothing of another person', async () => {
    const [ann, bob, admin] = [await person(api, 'Admin'), await person(api), await person(api, 'Admin')];
    const body = { name: unique('skill'), instructions: 'x' };
    const { id } = await skillOf(ann.client, { ...body, visibility: 'organization' });
    const put = { body: { ...body, owner: team } };
    for (const client of [admin.client, api])
      expect(await client.refused('permission_denied', 'PUT', `/v1/skills/${id}`, put)).toEqual({
        reason: 'owner_active',
      });
    const kept = { ...body, owner: ofPerson(ann), instructions: 'changed by an administrator' };
    expect(await admin.client.put(`/v1/skills/${id}`, kept)).toMatchObject({ owner: ofPerson(ann) });
    expect(await ann.client.put(`/v1/skills/${id}`, put.body)).toMatchObject({ owner: team });
    expect(await admin.client.put(`/v1/skills/${id}`, { ...body, owner: ofPerson(bob) })).toMatchObject({
      owner: ofPerson(bob),
    });
  });

  it('G13: what a person keeps private answers word for word as what is not there, of every type', async () => {
    const [ann, admin] = [await person(api, 'Admin'), await person(api, 'Admin')];
    const agent = await createAgent(ann.client, { visibility: 'private' });
    const session = await createSession(ann.client, agent.id);
    const things: Record<string, string> = {
      agent: agent.id,
      session: session.id,
      skill: (await skillOf(ann.client, { visibility: 'private' })).id,
      table: (await tableOf(ann.client, { visibility: 'private' })).id,
      action: (await actionOf(ann.client, { visibility: 'private' })).id,
      artifact: (await upload(ann.client, 'hers')).id,
      routine: (await routineOf(ann.client, agent.id)).id,
    };
    for (const [type, id] of Object.entries(things)) {
      const absent = id.replace(/^([a-z]+_.{8}).../, '$1000');
      const [seen, none] = [
        await admin.client.send('PATCH', at(type, id), { body: { owner: team } }),
        await admin.client.send('PATCH', at(type, absent), { body: { owner: team } }),
      ];
      expect([type, seen.status, seen.body]).toEqual([type, 404, none.body]);
    }
  });

  it('TE10: needs administration, a person who is there as owner, and a thing of the organization', async () => {
    const [ann, other] = [await person(api, 'Admin'), anotherOwner(unique('ownership'))];
    const agent = await createAgent(api, { visibility: 'organization' });
    for (const role of ['User', 'Viewer'] as const)
      await refused('permission_denied', await callerWith(api, role), 'agent', agent.id, { owner: ofPerson(ann) });
    await refused('not_found', other, 'agent', agent.id, { owner: team });
    const foreign = await createAgent(other, { visibility: 'organization' });
    await refused('not_found', api, 'agent', foreign.id);
    const software = await api.post<{ id: string }>('/v1/principals', { name: unique('svc'), kind: 'service' }, 201);
    for (const id of [software.id, 'user_00000000000000000000000000', agent.id])
      await refused('invalid_argument', api, 'agent', agent.id, { owner: { kind: 'person', id } });
    await refused('invalid_argument', api, 'agent', agent.id, { owner: { kind: 'person' } });
    await refused('invalid_argument', api, 'agent', agent.id, { owner: { kind: 'team', id: ann.id } });
    expect(await api.get(`/v1/agents/${agent.id}`)).toMatchObject({ owner: team, visibility: 'organization' });
    expect(await own(ann.client, 'agent', agent.id, { owner: ofPerson(ann), visibility: 'private' })).toMatchObject({
      owner: ofPerson(ann),
      visibility: 'private',
      posture: 'only_you',
    });
    const skill = await skillOf(ann.client, { visibility: 'private' });
    await ann.client.refused('bad_request', 'PATCH', at('skill', skill.id), {
      body: { visibility: 'restricted' },
      invalid: true,
    });
    const entries = async () =>
      (await api.get<Page<{ action: string }>>('/v1/audit', { resource_id: agent.id, limit: 100 })).items;
    await eventually('the audit', async () => (await entries()).some(({ action }) => action === 'agent.updated'));
  });

  it('TE10: environments and secrets are unknown, a web hook is always owned by the team', async () => {
    for (const type of ['environment', 'secret']) await refused('not_found', api, type, 'x');
    await refused('not_found', api, 'webhook', 'hook_00000000000000000000000000');
    await refused('not_found', api, 'session', 'ses_00000000000000000000000000');
    await refused('not_found', api, 'session', 'x');
    await refused('not_found', api, 'routine', 'rtn_00000000000000000000000000');
    await refused('not_found', api, 'artifact', 'art_00000000000000000000000000');
    await refused('not_found', api, 'skill', 'x');
    await api.refused('bad_request', 'PATCH', at('skill', 'x'), { body: {}, invalid: true });
    const hook = await api.post<{ id: string }>(
      '/v1/webhooks',
      { url: 'https://example.com/hook', event_types: ['session.*'] },
      201,
    );
    await refused('conflict', api, 'webhook', hook.id);
    await api.call('DELETE', `/v1/webhooks/${hook.id}`);
  });

  it("TE10: a session of one's own or the team's changes hands, another person's never", async () => {
    const [ann, bob, admin] = [await person(api, 'Admin'), await person(api), await person(api, 'Admin')];
    const agent = await createAgent(api, { visibility: 'organization' });
    const mine = await createSession(ann.client, agent.id, { mode: 'new' });
    const path = `/v1/sessions/${mine.id}`;
    await bob.client.refused('not_found', 'GET', path);
    expect(await admin.client.get(path)).toMatchObject({ posture: 'someone_else' });
    await refused('not_found', admin.client, 'session', mine.id, widened);
    await refused('conflict', ann.client, 'session', mine.id, { detach_container: true });
    await refused('visibility_change_unconfirmed', ann.client, 'session', mine.id, { visibility: 'organization' });
    await refused('invalid_argument', ann.client, 'session', mine.id, { owner: team });
    const cursor = await feedEnd(bob.client);
    const message = { messages: [{ role: 'user', content: [{ type: 'text', text: unique('said') }] }] };
    await ann.client.post<Page<Message>>(`${path}/messages`, message, 200);
    expect(
      await own(ann.client, 'session', mine.id, { visibility: 'organization', confirm_audience_expansion: true }),
    ).toEqual({
      owner: ofPerson(ann),
      visibility: 'organization',
      container: { kind: 'agent', id: agent.id },
      posture: 'shared_by_you',
    });
    expect(await bob.client.get(path)).toMatchObject({ visibility: 'organization', posture: 'someone_else' });
    const told = async () =>
      (await eventsAfter(bob.client, cursor)).events.filter(({ source_id: id }) => id === mine.id).length;
    await eventually('the events of the session', async () => (await told()) > 0);
    expect(await own(ann.client, 'session', mine.id, { visibility: 'private' })).toMatchObject({ posture: 'only_you' });
    await bob.client.refused('not_found', 'GET', path);
    expect(await told()).toBe(0);
    expect(await own(ann.client, 'session', mine.id, { owner: ofPerson(bob) })).toMatchObject({
      owner: ofPerson(bob),
      posture: 'someone_else',
    });
    expect(await bob.client.get<Session>(path)).toMatchObject({ owner: ofPerson(bob), posture: 'only_you' });
    const { items } = await bob.client.get<Page<Session>>('/v1/sessions', { owner_id: bob.id, limit: 100 });
    expect(items.map(({ id }) => id)).toContain(mine.id);
    await refused('not_found', ann.client, 'session', mine.id, widened);
    const teams = await createSession(api, agent.id, { mode: 'new' });
    const taken = await own(ann.client, 'session', teams.id, { owner: ofPerson(ann), visibility: 'private' });
    expect(taken).toMatchObject({ owner: ofPerson(ann), visibility: 'private' });
    await bob.client.refused('not_found', 'GET', `/v1/sessions/${teams.id}`);
  });

  it('TE10: a routine runs as the one who took it, and no person is made its owner by another', async () => {
    const [ann, bob, admin] = [await person(api), await person(api), await person(api, 'Admin')];
    const agent = await createAgent(api, { visibility: 'organization' });
    const routine = await routineOf(ann.client, agent.id);
    const read = () => admin.client.get<Body>(`/v1/routines/${routine.id}`);
    await refused('permission_denied', admin.client, 'routine', routine.id);
    await api.patch(`/v1/principals/${ann.id}`, { state: 'disabled' });
    expect(
      await refused('invalid_argument', admin.client, 'routine', routine.id, { owner: ofPerson(bob) }),
    ).toMatchObject({ argument: 'owner' });
    await refused('visibility_change_unconfirmed', admin.client, 'routine', routine.id);
    expect(
      await refused('invalid_argument', admin.client, 'routine', routine.id, { visibility: 'organization' }),
    ).toMatchObject({ argument: 'visibility' });
    expect(await own(admin.client, 'routine', routine.id, { owner: ofPerson(admin) })).toEqual({
      owner: ofPerson(admin),
      visibility: 'private',
      container: null,
      posture: 'only_you',
    });
    expect(await read()).toMatchObject({ owner_kind: 'person', owner_id: admin.id, status: 'active' });
    await bob.client.refused('not_found', 'GET', `/v1/routines/${routine.id}`);
    expect(
      await own(admin.client, 'routine', routine.id, { owner: team, confirm_audience_expansion: true }),
    ).toMatchObject({ owner: team, visibility: 'organization' });
    expect(await read()).toMatchObject({ owner_kind: 'team' });
    expect(await bob.client.get(`/v1/routines/${routine.id}`)).not.toHaveProperty('owner_id');
  });

  it("TE10: the grants of persons' connections to an agent end with its owner", async () => {
    const [ann, bob, admin] = [await person(api), await person(api), await person(api, 'Admin')];
    const agent = await createAgent(ann.client, { visibility: 'organization' });
    const account = (client: Client, kind: 'person' | 'team') =>
      client.post<{ id: string }>(
        '/v1/connections',
        {
          name: unique('account'),
          kind: 'api_key',
          provider: 'tracker',
          owner: { kind },
          hosts: ['https://example.com'],
          secret: 'a-secret-of-a-test',
        },
        201,
      );
    const granted = async (client: Client, id: string) =>
      (await client.get<{ grants: { principal_ids: string[] } }>(`/v1/connections/${id}`)).grants.principal_ids;
    const [ofBob, ofTeam] = [await account(bob.client, 'person'), await account(api, 'team')];
    const grants = { principal_ids: [agent.id, ann.id], everyone: false };
    await bob.client.put(`/v1/connections/${ofBob.id}/grants`, grants);
    await api.put(`/v1/connections/${ofTeam.id}/grants`, grants);
    await api.patch(`/v1/principals/${ann.id}`, { state: 'disabled' });
    await own(admin.client, 'agent', agent.id, { owner: ofPerson(admin) });
    await eventually('the end of the grant', async () => !(await granted(bob.client, ofBob.id)).includes(agent.id));
    expect(await granted(bob.client, ofBob.id)).toEqual([ann.id]);
    expect(await granted(api, ofTeam.id)).toEqual([agent.id, ann.id]);
    await bob.client.put(`/v1/connections/${ofBob.id}/grants`, grants);
    await own(admin.client, 'agent', agent.id, { visibility: 'private' });
    expect(await granted(bob.client, ofBob.id)).toEqual([agent.id, ann.id]);
  });

  it('TE10: a file of a session stays with it, is 404 to others, and follows its session', async () => {
    const [ann, bob, admin] = [await person(api, 'Admin'), await person(api), await person(api, 'Admin')];
    const agent = await createAgent(api, { visibility: 'organization' });
    const attached = async (client: Client, sessionId: string) => {
      const fields = [['file', Buffer.from('bytes'), 'a.txt']] as const;
      const { body } = await sendForm(client, fields, { path: `/v1/sessions/${sessionId}/attachments` });
      return (body as { artifact: Artifact }).artifact;
    };
    const mine = await createSession(ann.client, agent.id, { mode: 'new' });
    const file = await attached(ann.client, mine.id);
    const read = (client: Client) => client.get<Artifact>(`/v1/artifacts/${file.id}`);
    const changes: Body[] = [
      { detach_container: true },
      { owner: ofPerson(admin) },
      { owner: team, visibility: 'organization', confirm_audience_expansion: true },
      { visibility: 'organization', confirm_audience_expansion: true },
    ];
    for (const body of changes) {
      expect([body, await refused('conflict', ann.client, 'artifact', file.id, body)]).toEqual([
        body,
        { reason: 'session_file' },
      ]);
      await refused('not_found', admin.client, 'artifact', file.id, body);
      await refused('permission_denied', bob.client, 'artifact', file.id, body);
    }
    expect(await read(ann.client)).toEqual(file);
    await bob.client.refused('not_found', 'GET', `/v1/artifacts/${file.id}`);
    await own(ann.client, 'session', mine.id, { visibility: 'organization', confirm_audience_expansion: true });
    expect(await read(bob.client)).toMatchObject({ owner: ofPerson(ann), visibility: 'organization' });
    await refused('not_found', admin.client, 'artifact', file.id, { detach_container: true });
    await own(ann.client, 'session', mine.id, { owner: ofPerson(bob), visibility: 'private' });
    expect(await read(bob.client)).toMatchObject({ owner: ofPerson(bob), visibility: 'private' });
    await refused('not_found', ann.client, 'artifact', file.id, { detach_container: true });
    await api.patch(`/v1/principals/${bob.id}`, { state: 'disabled' });
    await refused('not_found', admin.client, 'artifact', file.id, { owner: team });
    const teams = await createSession(api, agent.id, { mode: 'new' });
    const shared = await attached(api, teams.id);
    for (const body of changes)
      expect(await refused('conflict', admin.client, 'artifact', shared.id, body)).toEqual({ reason: 'session_file' });
    await refused('conflict', admin.client, 'session', teams.id, { detach_container: true });
    expect(await api.get(`/v1/artifacts/${shared.id}`)).toEqual(shared);
  });

  it('TE10: an artifact that nothing holds stays as it is when it is to leave', async () => {
    const ann = await person(api, 'Admin');
    const artifact = await upload(ann.client, 'bytes');
    expect(await own(ann.client, 'artifact', artifact.id, { detach_container: true })).toMatchObject({
      container: null,
      owner: ofPerson(ann),
    });
    expect(await ann.client.get<Artifact>(`/v1/artifacts/${artifact.id}`)).toEqual(artifact);
  });
});
