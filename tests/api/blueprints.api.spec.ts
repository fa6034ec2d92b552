import { type Agent, callerWith, person, unique } from '../harness/index.js';
import {
  type Result,
  type Skill,
  actions,
  agentNamed,
  api,
  apply,
  bindingsOf,
  identity,
  pair,
  preview,
  refused,
} from './blueprints.js';

const withoutIds = (result: Result) => result.changes.map(({ resource_id: _id, ...rest }) => rest);

describe('blueprints: preview and apply', () => {
  it('rules BP1, B2, B3: apply creates what is missing, bound to its keys', async () => {
    const id = identity();
    const resources = pair();
    const result = await apply({ ...id, blueprint_version: 'v1', resources });
    expect(result).toMatchObject({ status: 'applied', ...id, blueprint_version: 'v1' });
    expect(result.changes).toMatchObject([
      { resource_type: 'skill', key: 'writing', action: 'created', name: resources.skills[0]?.['name'] },
      { resource_type: 'agent', key: 'writer', action: 'created', name: resources.agents[0]?.['name'] },
    ]);
    const [skillChange, agentChange] = result.changes;
    expect(skillChange?.resource_id).toMatch(/^skill_[0-9a-z]{20,}$/);
    expect(agentChange?.resource_id).toMatch(/^agent_[0-9a-z]{20,}$/);
    const { skills: _skills, key: _key, ...fields } = resources.agents[0] ?? {};
    const agent = await api.get<Agent>(`/v1/agents/${agentChange?.resource_id ?? ''}`);
    expect(agent).toMatchObject({
      ...fields,
      skill_ids: [skillChange?.resource_id],
      owner: { kind: 'team' },
      visibility: 'organization',
    });
    const skill = await api.get<Skill>(`/v1/skills/${skillChange?.resource_id ?? ''}`);
    expect(skill).toMatchObject({
      title: 'Writing',
      instructions: 'Write well.',
      owner: { kind: 'team' },
      visibility: 'organization',
    });
    const bound = { ...id, blueprint_version: 'v1', protected: false, delete_on_destroy: true };
    expect(result.bindings).toEqual([
      { resource_type: 'skill', key: 'writing', resource_id: skill.id, ...bound },
      { resource_type: 'agent', key: 'writer', resource_id: agent.id, ...bound },
    ]);
    expect(await bindingsOf(id)).toEqual(result.bindings);
  });

  it('rules BP1, B4: preview says what apply then does, and changes nothing', async () => {
    const id = identity();
    const resources = pair();
    const shown = await preview({ ...id, resources });
    expect(shown).toMatchObject({ status: 'previewed', ...id, bindings: [] });
    expect(shown.changes.every((change) => change.resource_id === undefined)).toBe(true);
    expect(await bindingsOf(id)).toEqual([]);
    expect(await agentNamed(String(resources.agents[0]?.['name']))).toBeUndefined();
    const applied = await apply({ ...id, resources });
    expect(withoutIds(applied)).toEqual(shown.changes);
    const again = await preview({ ...id, resources });
    expect(actions(again)).toEqual(['unchanged', 'unchanged']);
    expect(again.bindings).toEqual(applied.bindings);
    expect(again.changes.map((change) => change.resource_id)).toEqual(
      applied.changes.map((change) => change.resource_id),
    );
  });

  it('rule BP2: re-applying changes nothing', async () => {
    const body = { ...identity(), resources: pair() };
    const first = await apply(body);
    const agent = await api.get<Agent>(`/v1/agents/${first.changes[1]?.resource_id ?? ''}`);
    const second = await apply(body);
    expect(actions(second)).toEqual(['unchanged', 'unchanged']);
    expect(second.bindings).toEqual(first.bindings);
    expect(await api.get<Agent>(`/v1/agents/${agent.id}`)).toEqual(agent);
  });

  it('B32: what changed fields hold before and after is given when it is asked for', async () => {
    const id = identity();
    const name = unique('act');
    const agentName = unique('valued');
    const first = {
      ...id,
      resources: {
        actions: [{ key: 'x', name, endpoint: 'https://a.example/x' }],
        skills: [{ key: 's', name: unique('s'), instructions: 'x' }],
        agents: [{ key: 'a', name: agentName, system_prompt: 'You write.' }],
      },
    };
    const { changes } = await apply(first);
    const skillId = changes.find(({ key }) => key === 's')?.resource_id;
    const next = {
      ...id,
      resources: {
        actions: [{ key: 'x', name, endpoint: 'https://b.example/x' }],
        agents: [
          { key: 'a', name: agentName, system_prompt: 'You write letters.', color: 'red', skills: [{ key: 's' }] },
          { key: 'b', name: unique('made') },
        ],
      },
    };
    const values = [
      { field: 'color', after: 'red' },
      { field: 'skills', before: [], after: [skillId] },
      { field: 'system_prompt', before: 'You write.', after: 'You write letters.' },
    ];
    const expected = [
      { key: 'x', values: [{ field: 'endpoint', before: 'https://a.example/x', after: 'https://b.example/x' }] },
      { key: 'a', values },
      { key: 'b', action: 'created' },
    ];
    expect((await preview(next)).changes.some((change) => 'values' in change)).toBe(false);
    const query = { include: 'values' };
    const shown = await preview(next, api, query);
    expect(shown.changes).toMatchObject(expected);
    expect(shown.changes[2]).not.toHaveProperty('values');
    expect((await apply(next, api, query)).changes).toMatchObject(expected);
    expect((await preview(next, api, query)).changes.some((change) => 'values' in change)).toBe(false);
  });

  it('B5, B17: an update names the fields that differ and keeps those left out', async () => {
    const id = identity();
    const resources = pair();
    await apply({ ...id, resources });
    const { key, name } = resources.agents[0] ?? {};
    const body = {
      ...id,
      resources: { agents: [{ key, name, system_prompt: 'You write letters.', tags: {}, skills: [] }] },
    };
    const shown = await preview(body);
    const changed = await apply(body);
    expect(changed.changes).toMatchObject([
      { action: 'updated', fields: expect.arrayContaining(['system_prompt', 'tags', 'skills']) as unknown },
    ]);
    expect(changed.changes[0]?.fields).toHaveLength(3);
    expect(changed.changes).toEqual(shown.changes);
    const agent = await api.get<Agent>(`/v1/agents/${changed.changes[0]?.resource_id ?? ''}`);
    expect(agent).toMatchObject({
      system_prompt: 'You write letters.',
      tags: {},
      skill_ids: [],
      description: 'writes',
      color: 'teal',
      timeout_seconds: 60,
    });
  });

  it('B17: skills left out keep what the agent has', async () => {
    const id = identity();
    const resources = pair();
    const { bindings } = await apply({ ...id, resources });
    const { skills: _skills, ...agent } = resources.agents[0] ?? {};
    expect(actions(await apply({ ...id, resources: { agents: [agent] } }))).toEqual(['unchanged']);
    expect((await api.get<Agent>(`/v1/agents/${bindings[1]?.resource_id ?? ''}`)).skill_ids).toEqual([
      bindings[0]?.resource_id,
    ]);
  });

  it('rule BP3: an entry that a later apply leaves out keeps its resource and its binding', async () => {
    const id = identity();
    const { skills, agents } = pair();
    const { bindings } = await apply({ ...id, resources: { skills, agents } });
    const second = await apply({ ...id, resources: { skills } });
    expect(second.changes).toHaveLength(1);
    expect(second.bindings).toEqual(bindings);
    await api.get<Agent>(`/v1/agents/${bindings[1]?.resource_id ?? ''}`);
    const none = await apply({ ...id, resources: {} });
    expect(none).toMatchObject({ changes: [], bindings });
  });

  it('B19: a known key with a new name renames its resource', async () => {
    const id = identity();
    const resources = pair();
    const { bindings } = await apply({ ...id, resources });
    const name = unique('renamed');
    const renamed = await apply({ ...id, resources: { agents: [{ key: 'writer', name }] } });
    expect(renamed.changes).toEqual([
      {
        resource_type: 'agent',
        key: 'writer',
        action: 'updated',
        name,
        fields: ['name'],
        resource_id: bindings[1]?.resource_id,
      },
    ]);
    expect((await agentNamed(name))?.id).toBe(bindings[1]?.resource_id);
    expect(await agentNamed(String(resources.agents[0]?.['name']))).toBeUndefined();
  });

  it('B18: a bound resource that was deleted by hand is created again and bound', async () => {
    const body = { ...identity(), resources: pair() };
    const first = await apply(body);
    const gone = first.changes[1]?.resource_id ?? '';
    await api.delete(`/v1/agents/${gone}`);
    expect((await bindingsOf({ blueprint_key: body.blueprint_key })).map(({ resource_type: type }) => type)).toEqual([
      'skill',
    ]);
    expect(actions(await preview(body))).toEqual(['unchanged', 'created']);
    const second = await apply(body);
    expect(actions(second)).toEqual(['unchanged', 'created']);
    expect(second.changes[1]?.resource_id).not.toBe(gone);
    expect(second.bindings[1]).toMatchObject({
      key: 'writer',
      delete_on_destroy: true,
      resource_id: second.changes[1]?.resource_id,
    });
    expect(actions(await apply(body))).toEqual(['unchanged', 'unchanged']);
  });

  it('blueprint_version: the version that last wrote a binding', async () => {
    const body = { ...identity(), resources: pair() };
    await apply({ ...body, blueprint_version: '1' });
    const second = await apply({ ...body, blueprint_version: '2' });
    expect(actions(second)).toEqual(['unchanged', 'unchanged']);
    expect(second.bindings.map((binding) => binding.blueprint_version)).toEqual(['2', '2']);
    expect((await apply(body)).bindings.map((binding) => binding.blueprint_version)).toEqual(['2', '2']);
  });

  it('B27: without a blueprint key bindings carry none', async () => {
    const namespace = unique('ns');
    const resources = pair();
    const { bindings } = await apply({ namespace, resources });
    expect(bindings).toHaveLength(2);
    for (const binding of bindings) {
      expect(binding.namespace).toBe(namespace);
      expect(binding).not.toHaveProperty('blueprint_key');
    }
    expect(actions(await apply({ namespace, resources }))).toEqual(['unchanged', 'unchanged']);
  });

  it('key scope: two blueprints may reuse a key; namespaces tell equal blueprint keys apart', async () => {
    const blueprint_key = unique('bp');
    const [one, two, bare] = [pair(), pair(), pair()];
    const results = [
      await apply({ namespace: 'a', blueprint_key, resources: one }),
      await apply({ namespace: 'b', blueprint_key, resources: two }),
      await apply({ blueprint_key, resources: bare }),
    ];
    expect(new Set(results.map(({ bindings }) => bindings[1]?.resource_id)).size).toBe(3);
    expect(results.every(({ bindings }) => bindings.length === 2)).toBe(true);
  });

  it('B26: absent parameters do not filter', async () => {
    const { namespace, blueprint_key } = identity();
    const other = unique('bp');
    await apply({ namespace, blueprint_key, resources: pair() });
    await apply({ namespace, blueprint_key: other, resources: pair() });
    expect(await bindingsOf({ namespace, blueprint_key })).toHaveLength(2);
    expect(await bindingsOf({ namespace })).toHaveLength(4);
    expect(await bindingsOf({ blueprint_key })).toHaveLength(2);
    expect((await bindingsOf({})).length).toBeGreaterThanOrEqual(4);
    expect(await bindingsOf({ namespace: unique('none') })).toEqual([]);
  });
});

describe('blueprints: references', () => {
  it('B9, B10: by id, by key of the request or of a binding, by another blueprint', async () => {
    const [id, other] = [identity(), identity()];
    const prefix = unique('ref');
    const shared = await apply({
      ...other,
      resources: { skills: [{ key: 'shared', name: `${prefix}-shared`, instructions: 's' }] },
    });
    const plain = await api.post<Skill>('/v1/skills', { name: `${prefix}-plain`, instructions: 'p' }, 201);
    await apply({ ...id, resources: { skills: [{ key: 'earlier', name: `${prefix}-earlier`, instructions: 'e' }] } });
    const result = await apply({
      ...id,
      resources: {
        skills: [{ key: 'now', name: `${prefix}-now`, instructions: 'n' }],
        agents: [
          {
            key: 'a',
            name: `${prefix}-agent`,
            skills: [
              { blueprint_ref: { namespace: other.namespace, key: 'shared' } },
              { id: plain.id },
              { key: 'now' },
              { key: 'earlier' },
            ],
          },
        ],
      },
    });
    const [earlier, now] = result.bindings;
    const agent = await api.get<Agent>(`/v1/agents/${result.changes[1]?.resource_id ?? ''}`);
    expect(agent.skill_ids).toEqual([
      shared.bindings[0]?.resource_id,
      plain.id,
      now?.resource_id,
      earlier?.resource_id,
    ]);
  });

  it.each([
    ['id', { id: 'skill_00000000000000000000000000' }],
    ['key', { key: 'nothing' }],
    ['blueprint_ref', { blueprint_ref: { namespace: 'nowhere', key: 'nothing' } }],
  ])(
    'B11: a missing target of {%s} is 404, in preview as in apply, and nothing is written',
    async (_shape, reference) => {
      const body = { ...identity(), resources: { agents: [{ key: 'a', name: unique('a'), skills: [reference] }] } };
      const details = { reference, resource_type: 'agent', key: 'a' };
      expect(await refused('blueprint_reference_not_found', { ...body, mode: 'preview' })).toEqual(details);
      expect(await refused('blueprint_reference_not_found', body)).toEqual(details);
      expect(await bindingsOf({ blueprint_key: body.blueprint_key })).toEqual([]);
    },
  );

  it('B10: a reference that two blueprints answer is ambiguous', async () => {
    const namespace = unique('ns');
    for (const blueprint_key of [unique('bp'), unique('bp')])
      await apply({
        namespace,
        blueprint_key,
        resources: { skills: [{ key: 's', name: unique('s'), instructions: 'x' }] },
      });
    const body = {
      ...identity(),
      resources: { agents: [{ key: 'a', name: unique('a'), skills: [{ blueprint_ref: { namespace, key: 's' } }] }] },
    };
    const details = await refused('blueprint_conflict', body);
    expect(details).toMatchObject({ reason: 'ambiguous_reference', resource_type: 'agent', key: 'a' });
    expect(details['candidates']).toHaveLength(2);
  });

  it('exactly one form', async () => {
    const body = (reference: object) => ({
      ...identity(),
      resources: { agents: [{ key: 'a', name: unique('a'), skills: [reference] }] },
    });
    for (const reference of [{}, { id: 'x', key: 'y' }, { other: 1 }])
      await refused('bad_request', body(reference), api, true);
  });
});

describe('blueprints: adoption and conflicts', () => {
  it('B14, B16: a uniquely named unmanaged resource is adopted with the desired fields', async () => {
    const name = unique('adopt');
    const agent = await api.post<Agent>(
      '/v1/agents',
      { name, visibility: 'organization', description: 'before', color: 'red' },
      201,
    );
    const body = { ...identity(), resources: { agents: [{ key: 'a', name, description: 'after' }] } };
    const shown = await preview(body);
    const result = await apply(body);
    expect(result.changes).toEqual([
      { resource_type: 'agent', key: 'a', action: 'adopted', name, resource_id: agent.id, fields: ['description'] },
    ]);
    expect(shown.changes).toEqual(result.changes);
    expect(result.bindings).toMatchObject([{ resource_id: agent.id, delete_on_destroy: false }]);
    expect(await api.get<Agent>(`/v1/agents/${agent.id}`)).toMatchObject({ description: 'after', color: 'red' });
    expect(actions(await apply(body))).toEqual(['unchanged']);
  });

  it('B12, B13: one resource belongs to one blueprint', async () => {
    const { skills } = pair();
    const owner = identity();
    const first = await apply({ ...owner, resources: { skills } });
    const body = { ...identity(), resources: { skills } };
    for (const mode of ['preview', 'apply']) {
      expect(await refused('blueprint_conflict', { ...body, mode })).toMatchObject({
        reason: 'managed_elsewhere',
        resource_type: 'skill',
        key: 'writing',
        candidates: [first.bindings[0]?.resource_id],
        owner: { ...owner, key: 'writing' },
      });
    }
    expect(await bindingsOf({ blueprint_key: body.blueprint_key })).toEqual([]);
  });

  it('B15, G13: what the caller cannot manage is not adopted, and what it cannot see is not named', async () => {
    const [{ client: ann }, { client: bob }] = [await person(api, 'User'), await person(api, 'User')];
    const hidden = await ann.post<Agent>('/v1/agents', { name: unique('hidden') }, 201);
    const shown = await ann.post<Agent>('/v1/agents', { name: unique('shown'), visibility: 'organization' }, 201);
    const of = ({ name }: Agent) => ({ ...identity(), resources: { agents: [{ key: 'a', name }] } });
    expect(await refused('blueprint_conflict', of(hidden), bob)).toEqual(
      expect.not.objectContaining({ candidates: expect.anything() as unknown }),
    );
    expect(await refused('blueprint_conflict', of(hidden), bob)).toMatchObject({
      reason: 'unsafe_adoption',
      resource_type: 'agent',
      key: 'a',
    });
    expect(await refused('blueprint_conflict', of(shown), bob)).toMatchObject({
      reason: 'unsafe_adoption',
      candidates: [shown.id],
    });
    expect(actions(await apply(of(hidden), ann))).toEqual(['adopted']);
    expect(actions(await apply(of(shown), api))).toEqual(['adopted']);
  });

  it('B19: a rename to a taken name is a conflict and renames nothing', async () => {
    const id = identity();
    const resources = pair();
    const taken = await api.post<Agent>('/v1/agents', { name: unique('taken'), visibility: 'organization' }, 201);
    await apply({ ...id, resources });
    const body = { ...id, resources: { agents: [{ key: 'writer', name: taken.name }] } };
    for (const mode of ['preview', 'apply']) {
      expect(await refused('blueprint_conflict', { ...body, mode })).toMatchObject({
        reason: 'name_taken',
        resource_type: 'agent',
        key: 'writer',
        candidates: [taken.id],
      });
    }
    expect(await agentNamed(String(resources.agents[0]?.['name']))).toBeDefined();
  });

  it('every conflict is told', async () => {
    const { skills, agents } = pair();
    await apply({ ...identity(), resources: { skills, agents } });
    const details = await refused('blueprint_conflict', {
      ...identity(),
      resources: { skills, agents: agents.map(({ skills: _skills, ...agent }) => agent) },
    });
    expect(details['conflicts']).toMatchObject([
      { reason: 'managed_elsewhere', resource_type: 'skill' },
      { reason: 'managed_elsewhere', resource_type: 'agent' },
    ]);
  });
});

describe('blueprints: requests', () => {
  it('B8: a repeated key in one list is refused; in two lists it is not', async () => {
    const [one, two] = [unique('s'), unique('s')];
    const details = await refused('bad_request', {
      ...identity(),
      resources: {
        skills: [
          { key: 'k', name: one },
          { key: 'k', name: two },
        ],
      },
    });
    expect(details['issues']).toEqual([{ path: '/resources/skills/1/key', message: 'appears twice' }]);
    const result = await apply({
      ...identity(),
      resources: { skills: [{ key: 'k', name: one }], agents: [{ key: 'k', name: two }] },
    });
    expect(actions(result)).toEqual(['created', 'created']);
  });

  it('B21: protection needs a blueprint key', async () => {
    await refused('bad_request', { protect_resources: true, resources: {} });
    await apply({ namespace: unique('ns'), protect_resources: false, resources: {} });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no resources', {}],
    ['an unknown member', { resources: {}, other: 1 }],
    ['an unknown list', { resources: { rows: [] } }],
    ['an unknown field (G8)', { resources: { agents: [{ key: 'a', name: 'a', visibility: 'private' }] } }],
    ['an entry without key', { resources: { agents: [{ name: 'a' }] } }],
    ['an entry without name', { resources: { agents: [{ key: 'a' }] } }],
    ['a server-owned field', { resources: { agents: [{ key: 'a', name: 'a', id: 'agent_1' }] } }],
    ['an external_ref (B29)', { resources: { agents: [{ key: 'a', name: 'a', external_ref: 'x' }] } }],
    ['an unknown mode', { mode: 'destroy', resources: {} }],
    ['a bad key', { resources: { agents: [{ key: ' a', name: 'a' }] } }],
    ['a long time-out (L6)', { resources: { agents: [{ key: 'a', name: 'a', timeout_seconds: 86_401 }] } }],
    [
      'both thresholds',
      { resources: { agents: [{ key: 'a', name: 'a', compaction_policy: { threshold: 'sm', threshold_tokens: 5 } }] } },
    ],
  ])('bad_request: %s', async (_what, body) => {
    await refused('bad_request', body, api, true);
  });

  it('G26, L12: reserved tags are refused', async () => {
    expect(
      await refused('invalid_argument', {
        ...identity(),
        resources: { agents: [{ key: 'a', name: unique('a'), tags: { 'svc:x': '1' } }] },
      }),
    ).toMatchObject({ argument: 'tags' });
  });

  it('A21, A26: apply, protection and delete need build; bindings need view', async () => {
    const [viewer, builder] = [await callerWith(api, 'Viewer'), await callerWith(api, 'User')];
    const id = identity();
    await refused('permission_denied', { ...id, resources: {} }, viewer);
    await viewer.refused('permission_denied', 'PUT', `/v1/blueprints/${id.blueprint_key}/protection`, {
      body: { protected: true },
    });
    await viewer.refused('permission_denied', 'DELETE', `/v1/blueprints/${id.blueprint_key}`);
    expect(await viewer.get('/v1/blueprints/bindings', id)).toEqual({ items: [], has_more: false });
    expect(actions(await apply({ ...id, resources: pair() }, builder))).toEqual(['created', 'created']);
    await api.as(null).refused('unauthorized', 'GET', '/v1/blueprints/bindings');
  });
});
