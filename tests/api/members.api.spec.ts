import { Client, callerWith, createAgent, eventually, type Page, person, unique } from '../harness/index.js';

interface Member {
  principal_id: string;
  kind: string;
  display_name: string;
  added_at: string;
  added_by: string;
}
interface Members {
  items?: Member[];
  count: number;
}

const api = Client.owner();
const of = (agentId: string, id?: string) => `/v1/agents/${agentId}/members${id === undefined ? '' : `/${id}`}`;
const idsIn = ({ items = [] }: Members) => items.map(({ principal_id: id }) => id);

describe('rule TE10: members of agents', () => {
  it('TE10: reach a restricted agent, and no one else does', async () => {
    const [ann, bob, eve] = [await person(api), await person(api), await person(api)];
    const agent = await createAgent(ann.client, { visibility: 'restricted' });
    await bob.client.refused('not_found', 'GET', `/v1/agents/${agent.id}`);
    await bob.client.refused('not_found', 'GET', of(agent.id));
    const added = await ann.client.post<Members>(of(agent.id), { principal_ids: [bob.id] }, 200);
    expect(added).toEqual({
      count: 1,
      items: [
        {
          principal_id: bob.id,
          kind: 'human',
          display_name: expect.any(String) as string,
          added_at: expect.any(String) as string,
          added_by: ann.id,
        },
      ],
    });
    expect(await bob.client.get(`/v1/agents/${agent.id}`)).toMatchObject({ visibility: 'restricted', member_count: 1 });
    await eve.client.refused('not_found', 'GET', `/v1/agents/${agent.id}`);
    expect(await bob.client.get<Members>(of(agent.id))).toEqual({ count: 1 });
    expect(await ann.client.get<Members>(of(agent.id))).toEqual(added);
    await ann.client.delete(of(agent.id, bob.id));
    await ann.client.delete(of(agent.id, bob.id));
    await bob.client.refused('not_found', 'GET', `/v1/agents/${agent.id}`);
  });

  it('TE10: are replaced whole, kept whatever the audience is, and a repeat changes nothing', async () => {
    const [ann, bob, eve] = [await person(api), await person(api), await person(api)];
    const agent = await createAgent(ann.client, { visibility: 'private' });
    await ann.client.put<Members>(of(agent.id), { principal_ids: [bob.id] }, 200);
    const first = await ann.client.post<Members>(of(agent.id), { principal_ids: [eve.id, bob.id] }, 200);
    expect(idsIn(first)).toEqual([bob.id, eve.id]);
    const read = () => ann.client.get<{ updated_at: string; visibility: string }>(`/v1/agents/${agent.id}`);
    const before = await read();
    expect(await ann.client.post<Members>(of(agent.id), { principal_ids: [bob.id] }, 200)).toEqual(first);
    expect(await ann.client.put<Members>(of(agent.id), { principal_ids: [eve.id, bob.id] }, 200)).toEqual(first);
    expect(await read()).toEqual(before);
    await eve.client.get(`/v1/agents/${agent.id}`);
    await ann.client.patch(`/v1/agents/${agent.id}`, { visibility: 'organization', confirm_visibility_change: true });
    await ann.client.patch(`/v1/agents/${agent.id}`, { visibility: 'restricted' });
    expect(await ann.client.get<Members>(of(agent.id))).toEqual(first);
    expect(idsIn(await ann.client.put<Members>(of(agent.id), { principal_ids: [eve.id] }, 200))).toEqual([eve.id]);
    await bob.client.refused('not_found', 'GET', `/v1/agents/${agent.id}`);
    expect(await ann.client.put<Members>(of(agent.id), { principal_ids: [] }, 200)).toEqual({ count: 0, items: [] });
  });

  it('TE10: are changed by custody, are principals within reach, and each change stands in the audit', async () => {
    const [ann, bob, eve] = [await person(api), await person(api), await person(api)];
    const agent = await createAgent(ann.client, { visibility: 'organization' });
    const body = { principal_ids: [bob.id] };
    await bob.client.refused('permission_denied', 'PUT', of(agent.id), { body });
    await bob.client.refused('permission_denied', 'POST', of(agent.id), { body });
    await bob.client.refused('permission_denied', 'DELETE', of(agent.id, bob.id));
    await (await callerWith(api, 'Viewer')).refused('permission_denied', 'PUT', of(agent.id), { body });
    expect(await bob.client.get<Members>(of(agent.id))).toEqual({ count: 0 });
    const hidden = await createAgent(eve.client, { visibility: 'private' });
    for (const unknown of ['user_00000000000000000000000000', unique('none'), hidden.id]) {
      await ann.client.refused('not_found', 'PUT', of(agent.id), { body: { principal_ids: [bob.id, unknown] } });
      await ann.client.refused('not_found', 'POST', of(agent.id), { body: { principal_ids: [unknown] } });
      await ann.client.refused('not_found', 'DELETE', of(agent.id, unknown));
    }
    expect(await ann.client.get<Members>(of(agent.id))).toEqual({ count: 0, items: [] });
    await ann.client.delete(of(agent.id, bob.id));
    await ann.client.put(of(agent.id), body, 200);
    await api.delete(of(agent.id, bob.id));
    const changed = async (): Promise<string[]> =>
      (await api.get<Page<{ action: string }>>('/v1/audit', { resource_id: agent.id, limit: 100 })).items.flatMap(
        ({ action }) => (action === 'agent.updated' ? [action] : []),
      );
    await eventually('the audit', async () => (await changed()).length >= 2);
    expect(await changed()).toHaveLength(2);
  });
});
