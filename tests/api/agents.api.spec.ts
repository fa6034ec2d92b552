import {
  type Agent,
  Client,
  allRows,
  scriptedModel,
  type Page,
  callerWith,
  createAgent,
  invoke,
  person,
  reaches,
  said,
  settled,
  script,
  unique,
  timeFor,
} from '../harness/index.js';

const api = Client.owner();

describe('agents: create and read', () => {
  it('R1: create answers 201 with the stored agent; get, list and patch serve it', async () => {
    const name = unique('r1');
    const made = await api.post<Agent>(
      '/v1/agents',
      {
        name,
        visibility: 'organization',
        model: scriptedModel,
        description: 'd',
        color: 'teal',
        system_prompt: 'be brief',
      },
      201,
    );
    expect(made).toMatchObject({
      name,
      description: 'd',
      color: 'teal',
      system_prompt: 'be brief',
      status: 'active',
      memory_enabled: true,
      tool_presentation: 'flat',
      visibility: 'organization',
    });
    expect(await api.get<Agent>(`/v1/agents/${made.id}`)).toEqual(made);
    expect((await api.get<Page<Agent>>('/v1/agents', { name })).items).toEqual([made]);
    const changed = await api.patch<Agent>(`/v1/agents/${made.id}`, { system_prompt: 'be long' }, 200);
    expect(changed).toMatchObject({ id: made.id, name, system_prompt: 'be long', description: 'd' });
    expect(await api.get<Agent>(`/v1/agents/${made.id}`)).toEqual(changed);
  });

  it('G7, A11: ids have their prefix and 20 or more lower-case characters; the principal is the agent', async () => {
    const agent = await createAgent(api);
    expect(agent.id).toMatch(/^agent_[0-9a-z]{20,}$/);
    expect(agent.principal_id).toBe(agent.id);
  });

  it('G6: times are RFC 3339 UTC with milliseconds', async () => {
    const agent = await createAgent(api);
    for (const time of [agent.created_at, agent.updated_at])
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('R2: tool_selectors is taken as an alias and echoed; both at once are refused', async () => {
    const selectors = [{ selector_type: 'exact', selector: 'svc.table.list' }];
    const aliased = await createAgent(api, { tool_selectors: selectors });
    expect(aliased.action_selectors).toEqual(selectors);
    expect(aliased.tool_selectors).toEqual(selectors);
    await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: unique('r2'), visibility: 'organization', action_selectors: selectors, tool_selectors: selectors },
      invalid: true,
    });
    await api.refused('bad_request', 'PATCH', `/v1/agents/${aliased.id}`, {
      body: { action_selectors: [], tool_selectors: [] },
      invalid: true,
    });
    expect((await api.patch<Agent>(`/v1/agents/${aliased.id}`, { action_selectors: [] })).tool_selectors).toEqual([]);
  });

  it('R4: a worker route needs provider and model; managed does not', async () => {
    const name = () => unique('r4');
    await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: name(), visibility: 'organization', model_route: { mode: 'worker' } },
      invalid: true,
    });
    await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: name(), visibility: 'organization', model_route: { mode: 'worker', provider: 'p' } },
      invalid: true,
    });
    expect((await createAgent(api, { model_route: { mode: 'managed' } })).model_route).toEqual({ mode: 'managed' });
    expect(
      (await createAgent(api, { model_route: { mode: 'worker', provider: 'p', model: 'm' } })).model_route,
    ).toMatchObject({ mode: 'worker', provider: 'p', model: 'm' });
  });

  it('R5, R8: tool presentation and thinking effort take their values and no other', async () => {
    expect(await createAgent(api, { tool_presentation: 'meta', thinking_effort: 'xhigh' })).toMatchObject({
      tool_presentation: 'meta',
      thinking_effort: 'xhigh',
    });
    await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: unique('r5'), visibility: 'organization', tool_presentation: 'other' },
      invalid: true,
    });
    await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: unique('r8'), visibility: 'organization', thinking_effort: 'extreme' },
      invalid: true,
    });
  });

  it('R12: the memory policy is kept and bounded', async () => {
    expect(
      await createAgent(api, { memory_enabled: false, memory_context: { mode: 'full', max_bytes: 245760 } }),
    ).toMatchObject({ memory_enabled: false, memory_context: { mode: 'full', max_bytes: 245760 } });
    await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: unique('r12'), visibility: 'organization', memory_context: { mode: 'full', max_bytes: 245761 } },
      invalid: true,
    });
  });

  it('R13: skill assignments are replaced whole and in order; skill_ids is a shortcut', async () => {
    const skill = async () =>
      (await api.post<{ id: string }>('/v1/skills', { name: unique('skill'), instructions: 'do it' }, 201)).id;
    const [first, second] = [await skill(), await skill()];
    const agent = await createAgent(api, { skill_ids: [second, first] });
    expect(agent.skill_ids).toEqual([second, first]);
    const replaced = await api.put<{ items: { skill_id?: string; id?: string }[] }>(
      `/v1/agents/${agent.id}/skill-assignments`,
      { skill_ids: [first] },
      200,
    );
    expect(replaced.items).toHaveLength(1);
    expect((await api.get<Agent>(`/v1/agents/${agent.id}`)).skill_ids).toEqual([first]);
    expect((await api.patch<Agent>(`/v1/agents/${agent.id}`, { skill_ids: [] })).skill_ids).toEqual([]);
    expect((await api.get<{ items: unknown[] }>(`/v1/agents/${agent.id}/skill-assignments`)).items).toEqual([]);
    expect(
      await api.refused('invalid_argument', 'PUT', `/v1/agents/${agent.id}/skill-assignments`, {
        body: { skill_ids: ['skill_00000000000000000000000000'] },
      }),
    ).toMatchObject({ argument: 'skill_ids' });
  });
});

describe('agents: names and identity', () => {
  it('R43: a live name is taken once; details name who has it', async () => {
    const agent = await createAgent(api);
    expect(
      await api.refused('already_exists', 'POST', '/v1/agents', {
        body: { name: agent.name, visibility: 'organization' },
      }),
    ).toEqual({ resource_id: agent.id });
    const other = await createAgent(api);
    expect(
      await api.refused('already_exists', 'PATCH', `/v1/agents/${other.id}`, { body: { name: agent.name } }),
    ).toEqual({ resource_id: agent.id });
  });

  it('R43: twenty creates racing for one name make one agent', async () => {
    const name = unique('race');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.send('POST', '/v1/agents', { body: { name, visibility: 'organization' } })),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    expect((await api.get<Page<Agent>>('/v1/agents', { name })).items).toHaveLength(1);
  });

  it('a rename frees the old name and keeps external_ref', async () => {
    const agent = await createAgent(api, { external_ref: unique('ref') });
    const renamed = await api.patch<Agent>(`/v1/agents/${agent.id}`, { name: unique('renamed') });
    expect(renamed.external_ref).toBe(agent.external_ref);
    expect((await createAgent(api, { name: agent.name })).id).not.toBe(agent.id);
  });

  it('R9: adopt gives the live match unchanged with 200, or creates with 201', async () => {
    const ref = unique('ref');
    const body = { name: unique('adopt'), external_ref: ref, if_exists: 'adopt', visibility: 'organization' };
    const made = await api.post<Agent>('/v1/agents', body, 201);
    expect(await api.post<Agent>('/v1/agents', { ...body, description: 'not taken' }, 200)).toEqual(made);
    await api.refused('external_identity_conflict', 'POST', '/v1/agents', { body: { ...body, name: unique('other') } });
    await api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: unique('adopt'), if_exists: 'adopt', visibility: 'organization' },
      invalid: true,
    });
    await api.refused('already_exists', 'POST', '/v1/agents', {
      body: { name: unique('adopt'), external_ref: ref, visibility: 'organization' },
    });
    await api.delete(`/v1/agents/${made.id}`);
    await api.refused('external_identity_conflict', 'POST', '/v1/agents', { body });
  });

  it('R9: twenty racing adopts of one identity make one agent', async () => {
    const body = {
      name: unique('adopt-race'),
      external_ref: unique('ref'),
      if_exists: 'adopt',
      visibility: 'organization',
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.send('POST', '/v1/agents', { body })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    expect(new Set(answers.map((answer) => (answer.body as Agent).id)).size).toBe(1);
  });

  it('R10: external_ref is assigned once', async () => {
    const agent = await createAgent(api);
    const ref = unique('ref');
    expect((await api.patch<Agent>(`/v1/agents/${agent.id}`, { external_ref: ref })).external_ref).toBe(ref);
    expect((await api.patch<Agent>(`/v1/agents/${agent.id}`, { external_ref: ref })).external_ref).toBe(ref);
    await api.refused('external_identity_conflict', 'PATCH', `/v1/agents/${agent.id}`, {
      body: { external_ref: unique('ref') },
    });
    const other = await createAgent(api);
    await api.refused('external_identity_conflict', 'PATCH', `/v1/agents/${other.id}`, { body: { external_ref: ref } });
  });

  it('lists filter by name, external_ref, principal and status', async () => {
    const agent = await createAgent(api, { external_ref: unique('ref'), status: 'inactive' });
    for (const query of [{ name: agent.name }, { external_ref: agent.external_ref }, { principal_id: agent.id }]) {
      expect((await api.get<Page<Agent>>('/v1/agents', query)).items.map((one) => one.id)).toEqual([agent.id]);
    }
    expect((await api.get<Page<Agent>>('/v1/agents', { name: agent.name, status: 'active' })).items).toEqual([]);
    expect((await api.get<Page<Agent>>('/v1/agents', { name: unique('none') })).items).toEqual([]);
  });
});

describe('agents: visibility and custody', () => {
  it('A25: a software principal cannot make a private agent, said or left out', async () => {
    for (const visibility of [{}, { visibility: 'private' }]) {
      expect(
        await api.refused('invalid_argument', 'POST', '/v1/agents', { body: { name: unique('a25'), ...visibility } }),
      ).toEqual({ argument: 'visibility', reason: 'human_custodian_required' });
    }
  });

  it('A25, R11: a person makes private agents by default, which others do not see (G13)', async () => {
    const { id, client } = await person(api, 'Admin');
    const agent = await client.post<Agent>('/v1/agents', { name: unique('mine') }, 201);
    expect(agent).toMatchObject({ visibility: 'private', owner: { kind: 'person', id } });
    const other = await person(api, 'User');
    await other.client.refused('not_found', 'GET', `/v1/agents/${agent.id}`);
    expect((await other.client.get<Page<Agent>>('/v1/agents', { name: agent.name })).items).toEqual([]);
  });

  it('A26: what software makes is owned by the team', async () => {
    expect(await createAgent(api)).toMatchObject({ owner: { kind: 'team' }, posture: 'team' });
  });
});

describe('agents: limits', () => {
  const refusedWith = (fields: object) =>
    api.refused('bad_request', 'POST', '/v1/agents', {
      body: { name: unique('lim'), visibility: 'organization', ...fields },
      invalid: true,
    });

  it('L6: timeout_seconds goes from 0 to 86400', async () => {
    expect((await createAgent(api, { timeout_seconds: 0 })).timeout_seconds).toBe(0);
    expect((await createAgent(api, { timeout_seconds: 86_400 })).timeout_seconds).toBe(86_400);
    await refusedWith({ timeout_seconds: -1 });
    await refusedWith({ timeout_seconds: 86_401 });
    await refusedWith({ timeout_seconds: 1.5 });
  });

  it('L8: name, external_ref and colour have their lengths', async () => {
    expect((await createAgent(api, { name: unique('n').padEnd(63, 'x') })).name).toHaveLength(63);
    await refusedWith({ name: 'x'.repeat(64) });
    await refusedWith({ name: '' });
    await refusedWith({ external_ref: 'x'.repeat(201) });
    await refusedWith({ color: 'x'.repeat(25) });
  });

  it('L8, L12, L15: a character outside of the basic plane counts as one', async () => {
    const wide = (length: number, stem = '') => stem + '\u{1f600}'.repeat(length - stem.length);
    const [name, skill] = [unique('n'), unique('s')];
    const tags = { [wide(128)]: wide(256) };
    const { id } = await createAgent(api, { name: wide(63, name), tags });
    await api.post('/v1/skills', { name: wide(80, skill), title: wide(200), instructions: 'x', tags }, 201);
    await api.put(`/v1/agents/${id}/memory/entries/k`, { content: wide(16_384), summary: wide(140) }, 201);
    for (const [method, path, body] of [
      ['POST', '/v1/agents', { name: wide(64, name) }],
      ['PATCH', `/v1/agents/${id}`, { tags: { t: wide(257) } }],
      ['PATCH', `/v1/agents/${id}`, { tags: { [wide(129)]: 't' } }],
      ['POST', '/v1/skills', { name: wide(81, skill), instructions: 'x' }],
      ['PUT', `/v1/agents/${id}/memory/entries/k`, { content: 'x', summary: wide(141) }],
    ] as const)
      await api.refused('bad_request', method, path, { body, invalid: true });
  });

  it('L12: eight tags of bounded size, and none of the service', async () => {
    const tags = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`k${index}`, 'v'.repeat(256)]));
    expect((await createAgent(api, { tags })).tags).toEqual(tags);
    await refusedWith({ tags: { ...tags, k8: 'v' } });
    await refusedWith({ tags: { k: 'v'.repeat(257) } });
    await refusedWith({ tags: { ['k'.repeat(129)]: 'v' } });
    await api.refused('invalid_argument', 'POST', '/v1/agents', {
      body: { name: unique('lim'), visibility: 'organization', tags: { 'svc:mine': 'v' } },
    });
  });

  it('G8: unknown members are refused, at any depth', async () => {
    const issues = await refusedWith({ colour: 'typo' });
    expect(issues['issues']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: expect.stringContaining('colour') as string,
          message: expect.any(String) as string,
        }),
      ]),
    );
    await refusedWith({ memory_context: { mode: 'off', more: 1 } });
    await refusedWith({ action_selectors: [{ selector: 'a', more: 1 }] });
  });

  it('G9: absent keeps, empty clears, null is refused where the schema has none', async () => {
    const agent = await createAgent(api, {
      description: 'd',
      tags: { a: 'b' },
      action_selectors: [{ selector_type: 'exact', selector: 'svc.table.list' }],
    });
    const kept = await api.patch<Agent>(`/v1/agents/${agent.id}`, {});
    expect(kept).toMatchObject({ description: 'd', tags: { a: 'b' }, action_selectors: agent.action_selectors });
    expect(await api.patch<Agent>(`/v1/agents/${agent.id}`, { tags: {}, action_selectors: [] })).toMatchObject({
      tags: {},
      action_selectors: [],
    });
    await api.refused('bad_request', 'PATCH', `/v1/agents/${agent.id}`, {
      body: { system_prompt: null },
      invalid: true,
    });
  });
});

describe('agents: state and turns', () => {
  it('the next turn reads the update (rule INV17)', async () => {
    const agent = await createAgent(api, { timeout_seconds: 100 });
    const first = await invoke(api, agent.id, 'one', { session: { session_key: 'k' } });
    await settled(api, first);
    await api.patch<Agent>(`/v1/agents/${agent.id}`, { timeout_seconds: 200 });
    const second = await invoke(api, agent.id, 'two', { session: { session_key: 'k' } });
    expect([first.turn.effective_timeout_seconds, second.turn.effective_timeout_seconds]).toEqual([100, 200]);
    expect(second.session_id).toBe(first.session_id);
  });

  it('T25: an inactive agent admits no turn, a deleted one is not found', async () => {
    const agent = await createAgent(api);
    const { session_id: sessionId } = await invoke(api, agent.id, 'hi');
    await api.patch<Agent>(`/v1/agents/${agent.id}`, { status: 'inactive' });
    const body = { agent_ref: { id: agent.id }, input: { content: [{ type: 'text', text: 'x' }] } };
    await api.refused('agent_inactive', 'POST', '/v1/agents/invoke', { body });
    await api.refused('agent_inactive', 'POST', `/v1/sessions/${sessionId}/turns`, {
      body: { input: { content: [{ type: 'text', text: 'x' }] } },
    });
    await api.delete(`/v1/agents/${agent.id}`);
    await api.refused('not_found', 'POST', '/v1/agents/invoke', { body });
  });

  it('R16: delete answers 204, then 404 everywhere; the name is free again, external_ref is not', async () => {
    const agent = await createAgent(api, { external_ref: unique('ref') });
    await api.delete(`/v1/agents/${agent.id}`);
    await api.refused('not_found', 'GET', `/v1/agents/${agent.id}`);
    await api.refused('not_found', 'PATCH', `/v1/agents/${agent.id}`, { body: {} });
    await api.refused('not_found', 'DELETE', `/v1/agents/${agent.id}`);
    expect((await api.get<Page<Agent>>('/v1/agents', { name: agent.name })).items).toEqual([]);
    expect((await createAgent(api, { name: agent.name })).id).not.toBe(agent.id);
    await api.refused('external_identity_conflict', 'POST', '/v1/agents', {
      body: { name: unique('again'), visibility: 'organization', external_ref: agent.external_ref, if_exists: 'adopt' },
    });
  });

  it('R16: an open turn of a deleted agent fails at its next boundary with agent_unavailable', async () => {
    const agent = await createAgent(api, {
      action_selectors: [{ selector_type: 'exact', selector: 'svc.interaction.list' }],
    });
    const ack = await invoke(
      api,
      agent.id,
      script(
        { wait_ms: await timeFor(api, 4) },
        { call: { name: 'svc_interaction_list', input: {} } },
        { say: 'done' },
      ),
    );
    await reaches(api, ack, 'running');
    await api.delete(`/v1/agents/${agent.id}`);
    expect(await settled(api, ack)).toMatchObject({ status: 'failed', error_type: 'agent_unavailable' });
  });

  it('R16, A32, N12: so does one whose answer comes after its agent was deleted, or disabled; the answer is not shown', async () => {
    const gone = await createAgent(api);
    const disabled = await createAgent(api);
    const waitMs = 1500 + (await timeFor(api, 8));
    const acks = await Promise.all(
      [gone, disabled].map(({ id }) => invoke(api, id, script({ wait_ms: waitMs }, { say: 'too late' }))),
    );
    for (const ack of acks) await reaches(api, ack, 'running');
    await api.delete(`/v1/agents/${gone.id}`);
    await api.patch(`/v1/principals/${disabled.id}`, { state: 'disabled' });
    for (const ack of acks) {
      expect(await settled(api, ack)).toMatchObject({ status: 'failed', error_type: 'agent_unavailable' });
      expect((await allRows(api, ack.session_id)).map(({ role }) => role)).toEqual(['user']);
      const whole = await allRows(api, ack.session_id, { include_terminal_partials: true });
      expect(whole.map((row) => said(row)).slice(1)).toEqual(['too late']);
    }
  });

  it('needs use to run and build to change (A7)', async () => {
    const agent = await createAgent(api);
    const viewer = await callerWith(api, 'Viewer');
    expect(await viewer.refused('permission_denied', 'PATCH', `/v1/agents/${agent.id}`, { body: {} })).toEqual({
      permission: 'svc.resource.build',
    });
    expect(
      await viewer.refused('permission_denied', 'POST', '/v1/agents/invoke', {
        body: { agent_ref: { id: agent.id }, input: { content: [{ type: 'text', text: 'x' }] } },
      }),
    ).toEqual({ permission: 'svc.resource.use' });
    expect((await viewer.get<Agent>(`/v1/agents/${agent.id}`)).id).toBe(agent.id);
  });
});
