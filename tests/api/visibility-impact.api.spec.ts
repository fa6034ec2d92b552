import {
  type Agent,
  Client,
  anotherOwner,
  callerWith,
  createAgent,
  createSession,
  eventually,
  person,
  unique,
  upload,
} from '../harness/index.js';

interface Affected {
  resource_type: string;
  resource_id: string;
  name?: string;
  allowed_actions: string[];
  visibility: string;
}
interface Impact {
  agent_id: string;
  from: string;
  to: string;
  widening: boolean;
  shared_entry_count: number;
  dropped_members: string[];
  stranded_principals: string[];
  stranded_partitions: number;
  stranded_sessions: number;
  affected_resources: Affected[];
}
type Body = Record<string, unknown>;
type Someone = Awaited<ReturnType<typeof person>>;

const api = Client.owner();
const agentAt = (id: string) => `/v1/agents/${id}`;
const impactAt = (id: string) => `/v1/agents/${id}/visibility-impact`;
const impact = (client: Client, id: string, visibility = 'private', more: Record<string, string> = {}) =>
  client.get<Impact>(impactAt(id), { visibility, ...more });
const skillOf = (client: Client, fields: Body = {}) =>
  client.post<{ id: string; name: string }>('/v1/skills', { name: unique('skill'), instructions: 'x', ...fields }, 201);
const dispose = (resource_type: string, resource_id: string, action: string) => ({
  resource_type,
  resource_id,
  action,
});
const privately = (...affected_resource_dispositions: object[]) => ({
  visibility: 'private',
  affected_resource_dispositions,
});
const remember = (client: Client, agentId: string, userId: string) =>
  client.put(`/v1/agents/${agentId}/memory/entries/${unique('key')}`, {
    user_id: userId,
    kind: 'fact',
    content: 'x',
    importance: 1,
  });
const entries = async ({ client, id }: Someone, agentId: string) =>
  (await client.get<{ items: object[] }>(`/v1/agents/${agentId}/memory/entries`, { user_id: id })).items.length;

/** An agent of a person that the organization sees, with a skill of that person, and what two others keep there. */
async function shared(role: 'User' | 'Admin' = 'User') {
  const [ann, bob, eve] = [await person(api, role), await person(api), await person(api)];
  const skill = await skillOf(ann.client, { visibility: 'private' });
  const agent = await createAgent(ann.client, {
    visibility: 'organization',
    memory_enabled: true,
    skill_ids: [skill.id],
  });
  await remember(bob.client, agent.id, bob.id);
  await remember(eve.client, agent.id, eve.id);
  await remember(ann.client, agent.id, ann.id);
  await remember(ann.client, agent.id, '');
  const title = unique('title of Bob');
  const ofBob = await createSession(bob.client, agent.id, { mode: 'new', title });
  const ofAnn = await createSession(ann.client, agent.id, { mode: 'new', visibility: 'organization', title: 'Ours' });
  return { ann, bob, eve, skill, agent, ofBob, ofAnn, title };
}

describe('rule TE11: a change of an agent\u2019s audience', () => {
  it('TE11: is previewed with what people would lose, and shows no session of another person', async () => {
    const { ann, bob, eve, skill, agent, ofAnn, ofBob, title } = await shared();
    const seen = await impact(ann.client, agent.id);
    expect(seen).toEqual({
      agent_id: agent.id,
      from: 'organization',
      to: 'private',
      widening: false,
      shared_entry_count: 1,
      dropped_members: [],
      stranded_principals: [bob.id, eve.id].sort(),
      stranded_partitions: 2,
      stranded_sessions: 1,
      affected_resources: [
        {
          resource_type: 'skill',
          resource_id: skill.id,
          name: skill.name,
          resource_class: 'configuration',
          relationship: 'delegation',
          visibility: 'private',
          allowed_actions: ['revoke', 'make_private', 'keep_and_widen'],
        },
        {
          resource_type: 'session',
          resource_id: ofAnn.id,
          name: 'Ours',
          resource_class: 'conversation',
          relationship: 'container',
          visibility: 'organization',
          allowed_actions: ['make_private', 'keep_and_widen'],
        },
      ],
    });
    expect(JSON.stringify(seen)).not.toContain(ofBob.id);
    expect(JSON.stringify(seen)).not.toContain(title);
    expect(await impact(ann.client, agent.id, 'restricted', { members: bob.id })).toMatchObject({
      stranded_principals: [eve.id],
      stranded_partitions: 1,
      stranded_sessions: 0,
    });
    const member = await impact(ann.client, agent.id, 'organization', { members: bob.id });
    expect(member).toMatchObject({
      widening: false,
      stranded_partitions: 0,
      stranded_sessions: 0,
      affected_resources: [],
    });
    await ann.client.patch(agentAt(agent.id), { visibility: 'restricted', members: [bob.id, eve.id] });
    expect(await impact(ann.client, agent.id, 'private', { members: eve.id })).toMatchObject({
      dropped_members: [bob.id],
      stranded_principals: [bob.id],
      stranded_partitions: 1,
      stranded_sessions: 1,
    });
    expect(await impact(ann.client, agent.id, 'private')).toMatchObject({
      dropped_members: [],
      stranded_partitions: 0,
      affected_resources: [],
    });
    expect(await impact(ann.client, agent.id, 'organization')).toMatchObject({ widening: true, from: 'restricted' });
  });

  it('TE11: is previewed by those that may make it, and refused as it would be', async () => {
    const { ann, bob, agent } = await shared();
    const query = { visibility: 'private' };
    await bob.client.refused('permission_denied', 'GET', impactAt(agent.id), { query });
    await (await callerWith(api, 'Viewer')).refused('permission_denied', 'GET', impactAt(agent.id), { query });
    await anotherOwner(unique('impact')).refused('not_found', 'GET', impactAt(agent.id), { query });
    await ann.client.refused('bad_request', 'GET', impactAt(agent.id), { invalid: true });
    const unknown = { ...query, members: 'user_00000000000000000000000000' };
    expect(await ann.client.refused('invalid_argument', 'GET', impactAt(agent.id), { query: unknown })).toMatchObject({
      argument: 'members',
    });
    const teams = await createAgent(api, { visibility: 'organization' });
    expect(await api.refused('invalid_argument', 'GET', impactAt(teams.id), { query })).toMatchObject({
      argument: 'visibility',
    });
    expect(await impact(api, teams.id, 'restricted')).toMatchObject({ stranded_sessions: 0, stranded_partitions: 0 });
    const hidden = await createAgent(ann.client, { visibility: 'private' });
    await api.refused('not_found', 'GET', impactAt(hidden.id), { query });
  });

  it('TE11: does what its dispositions say with what the caller has in custody', async () => {
    const { ann, bob, agent, skill, ofAnn } = await shared();
    const other = await skillOf(ann.client, { visibility: 'private' });
    await ann.client.patch(agentAt(agent.id), { skill_ids: [skill.id, other.id] });
    const file = await upload(ann.client, 'bytes');
    await bob.client.get(`/v1/sessions/${ofAnn.id}`);
    const changed = await ann.client.patch<Agent & { skill_ids: string[] }>(
      agentAt(agent.id),
      privately(
        dispose('skill', skill.id, 'revoke'),
        dispose('skill', other.id, 'keep_and_widen'),
        dispose('session', ofAnn.id, 'make_private'),
        dispose('artifact', file.id, 'keep_and_widen'),
      ),
    );
    expect(changed).toMatchObject({ visibility: 'private', skill_ids: [other.id] });
    await eventually('the dispositions', async () => {
      const session = await ann.client.get<{ visibility: string }>(`/v1/sessions/${ofAnn.id}`);
      return session.visibility === 'private';
    });
    await eventually('the artifact', async () => {
      const artifact = await ann.client.get<{ visibility: string }>(`/v1/artifacts/${file.id}`);
      return artifact.visibility === 'organization';
    });
    expect(await bob.client.get(`/v1/skills/${other.id}`)).toMatchObject({ visibility: 'organization' });
    await bob.client.refused('not_found', 'GET', `/v1/skills/${skill.id}`);
    expect(await ann.client.get(`/v1/skills/${skill.id}`)).toMatchObject({ visibility: 'private' });
    // carried out once: what is changed afterwards stays, also when the same change is sent again
    const back = { visibility: 'private' };
    await ann.client.put(`/v1/skills/${other.id}`, { name: other.name, instructions: 'x', ...back });
    await ann.client.patch(agentAt(agent.id), privately(dispose('skill', other.id, 'keep_and_widen')));
    await bob.client.refused('not_found', 'GET', `/v1/skills/${other.id}`);
  });

  it('TE11: writes nothing when a disposition is over what is out of custody, unknown, or not allowed', async () => {
    const { ann, bob, eve, agent, skill, ofBob, ofAnn } = await shared();
    const ofEve = await skillOf(eve.client, { visibility: 'organization' });
    const foreign = await skillOf(anotherOwner(unique('foreign')), { visibility: 'organization' });
    const refusals: [code: string, ...dispositions: object[]][] = [
      ['not_found', dispose('session', ofBob.id, 'make_private')],
      ['not_found', dispose('session', 'ses_00000000000000000000000000', 'make_private')],
      ['not_found', dispose('skill', ofEve.id, 'make_private')],
      ['not_found', dispose('skill', ofEve.id, 'revoke')],
      ['not_found', dispose('skill', foreign.id, 'revoke')],
      ['not_found', dispose('table', 'table_00000000000000000000000000', 'make_private')],
      ['not_found', dispose('artifact', 'art_00000000000000000000000000', 'make_private')],
      ['invalid_argument', dispose('session', ofAnn.id, 'revoke')],
      ['bad_request', dispose('skill', skill.id, 'revoke'), dispose('skill', skill.id, 'make_private')],
    ];
    const before = await ann.client.get(agentAt(agent.id));
    for (const [code, ...dispositions] of refusals) {
      const body = privately(dispose('session', ofAnn.id, 'make_private'), ...dispositions);
      const wanted = dispositions.some((each) => 'resource_id' in each && each.resource_id === ofAnn.id)
        ? privately(...dispositions)
        : body;
      await ann.client.refused(code, 'PATCH', agentAt(agent.id), { body: wanted });
    }
    const deleting = { visibility: 'private', stranded_disposition: 'delete' };
    expect(await ann.client.refused('permission_denied', 'PATCH', agentAt(agent.id), { body: deleting })).toEqual({
      permission: 'svc.org.admin',
    });
    const unconfirmed = { ...privately(dispose('skill', skill.id, 'revoke')), visibility: 'organization' };
    await ann.client.patch(agentAt(agent.id), unconfirmed);
    expect(await ann.client.get(agentAt(agent.id))).toEqual(before);
    expect(await bob.client.get(`/v1/sessions/${ofAnn.id}`)).toMatchObject({ visibility: 'organization' });
    expect([await entries(bob, agent.id), await entries(eve, agent.id)]).toEqual([1, 1]);
  });

  it('TE11: deletes the memory of people who lose reach when an administrator says so, and of no one else', async () => {
    const { ann, bob, eve, agent } = await shared('Admin');
    const body = { visibility: 'restricted', members: [eve.id], stranded_disposition: 'delete' };
    await ann.client.patch(agentAt(agent.id), body);
    await eventually('the deletion', async () => {
      const seen = await impact(ann.client, agent.id, 'organization');
      return seen.shared_entry_count === 1 && seen.stranded_partitions === 0;
    });
    const back = { visibility: 'organization', confirm_visibility_change: true };
    await eventually('the erasure in the audit', async () => {
      const query = { resource_id: agent.id, action: 'memory.erased', limit: 100 };
      return (await api.get<{ items: object[] }>('/v1/audit', query)).items.length > 0;
    });
    await ann.client.patch(agentAt(agent.id), back);
    expect(await entries(bob, agent.id)).toBe(0);
    expect([await entries(eve, agent.id), await entries(ann, agent.id)]).toEqual([1, 1]);
    await ann.client.patch(agentAt(agent.id), { visibility: 'private', stranded_disposition: 'retain', members: [] });
    await ann.client.patch(agentAt(agent.id), back);
    expect(await entries(eve, agent.id)).toBe(1);
  });
});
