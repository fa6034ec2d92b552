import { Refusal, type Identity, type JsonObject } from '@aos/kernel';
import {
  newRecord,
  resourceKindOf,
  resourceKinds,
  team,
  type AnyKind,
  type AnyRecord,
  type Binding,
  type Entry,
} from '@aos/definitions/published';
import { entryId } from '../blueprint/blueprint.state.js';
import { backend, caller, orgId } from '../testing/blueprints.fixture.js';
import { planBlueprint } from './plan.decide.js';
import { nameId, referredId, type PlanFacts } from './plan.state.js';
import { requestOf, type ApplyBody } from './request.decide.js';
import { createdRecord, isDue, stepEvents } from './step.decide.js';

const tableResource = resourceKindOf('table');
const actionResource = resourceKindOf('action');
const skillResource = resourceKindOf('skill');
const agentResource = resourceKindOf('agent');
const stamp = { principalId: 'svc_1', at: '2026-01-01T00:00:00.000Z' };
const identity = { namespace: 'n', blueprint_key: 'b' };
const own = (key: string, change: Partial<Binding> = {}): Binding => ({
  ...identity,
  blueprint_version: null,
  key,
  delete_on_destroy: true,
  ...change,
});

function there(
  resource: AnyKind,
  entry: Entry & JsonObject,
  binding: Binding | null,
  change: Partial<AnyRecord> = {},
): AnyRecord {
  const wire = resource.blueprint.configured(resource.blueprint.blank(entry), entry, undefined);
  const custody = { owner: team, visibility: 'organization' as const, members: [] };
  return {
    ...newRecord({ id: `${resource.prefix}_${entry.name}`, orgId, type: resource.type, custody, wire }, stamp),
    binding,
    ...change,
  };
}

interface World {
  bound?: AnyRecord[];
  /** Live resources, found by name. */
  others?: AnyRecord[];
  skills?: AnyRecord[];
  foreign?: Record<string, AnyRecord[]>;
}

function plan(
  resources: ApplyBody['resources'],
  { bound = [], others = [], skills = [], foreign = {} }: World = {},
  who: Identity = backend,
  more: Partial<ApplyBody> = {},
) {
  const request = requestOf(resourceKinds, { ...identity, ...more, resources });
  const entries = resourceKinds.flatMap((resource) =>
    (request.resources[resource.list] ?? []).map((entry) => entryId(resource.type, entry.key)),
  );
  const holders = new Map<string, AnyRecord[]>();
  for (const record of [...bound, ...others])
    holders.set(nameId(record.type, record.wire.name), [
      ...(holders.get(nameId(record.type, record.wire.name)) ?? []),
      record,
    ]);
  const facts: PlanFacts = {
    bound: new Map(bound.map((record) => [entryId(record.type, record.binding?.key ?? ''), record])),
    holders,
    newIds: new Map(entries.map((id) => [id, { id: `new ${id}`, generation: 0 }])),
    skills: new Map(skills.map((record) => [record.id, record])),
    foreign: new Map(Object.entries(foreign)),
  };
  return planBlueprint(resourceKinds, request, facts, who);
}

const told = (steps: ReturnType<typeof plan>) =>
  steps.map(({ resource, entry, action, differences }) => [
    resource.type,
    entry.key,
    action,
    ...differences.map(({ field }) => field),
  ]);

function refusal(work: () => unknown): JsonObject {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, ...error.details };
    throw error;
  }
  throw new Error('nothing was refused');
}

const agent = (key: string, name: string, more: JsonObject = {}): Entry & JsonObject => ({ key, name, ...more });
const schema = (...columns: JsonObject[]) => ({
  identity_column: 'id',
  columns: [{ name: 'id', type: 'string' }, ...columns],
});
const table = (name: string, ...columns: JsonObject[]) => ({ key: 't', name, schema: schema(...columns) });
const action = (more: JsonObject = {}) => ({ key: 'x', name: 'acme.send', endpoint: 'https://a.example/x', ...more });

describe('the plan', () => {
  it('B6: tables, actions, skills, agents, each list in its order', () => {
    const steps = plan({
      agents: [agent('a2', 'a2'), agent('a1', 'a1')],
      skills: [agent('s', 's')],
      actions: [action()],
      tables: [table('t')],
    });
    expect(told(steps)).toEqual([
      ['table', 't', 'created'],
      ['action', 'x', 'created'],
      ['skill', 's', 'created'],
      ['agent', 'a2', 'created'],
      ['agent', 'a1', 'created'],
    ]);
    expect(steps.every(({ binding }) => binding.delete_on_destroy)).toBe(true);
  });

  it('B5: names the fields that differ by the names of the entry', () => {
    const bound = [
      there(agentResource, agent('a', 'a', { color: 'red', description: 'x' }), own('a')),
      there(actionResource, action(), own('x')),
    ];
    const steps = plan(
      {
        agents: [agent('a', 'a', { color: 'blue', description: 'x', skills: [{ key: 's' }] })],
        skills: [agent('s', 's')],
        actions: [action({ endpoint: 'https://b.example/' })],
      },
      { bound },
    );
    expect(told(steps)).toEqual([
      ['action', 'x', 'updated', 'endpoint'],
      ['skill', 's', 'created'],
      ['agent', 'a', 'updated', 'color', 'skills'],
    ]);
    expect(steps[2]?.wire).toMatchObject({ skill_ids: ['new skill s'] });
  });

  it('A26: what is created is team-owned, visible to the organization and bound from its first event on', () => {
    const [step] = plan({ agents: [agent('a', 'a')] }, {}, backend, {
      blueprint_version: '3',
      protect_resources: true,
    });
    const record = step && createdRecord(step, orgId, stamp);
    expect(record).toMatchObject({
      owner: { kind: 'team' },
      visibility: 'organization',
      protected: true,
      binding: own('a', { blueprint_version: '3' }),
      version: 1,
    });
  });

  it('B17: what is left out is kept', () => {
    const bound = [
      there(agentResource, agent('a', 'a', { color: 'red', tags: { x: '1' }, timeout_seconds: 5 }), own('a')),
    ];
    expect(told(plan({ agents: [agent('a', 'a')] }, { bound }))).toEqual([['agent', 'a', 'unchanged']]);
    expect(told(plan({ agents: [agent('a', 'a', { tags: {} })] }, { bound }))).toEqual([
      ['agent', 'a', 'updated', 'tags'],
    ]);
  });

  it('B21: protection is set, lifted or kept; the binding is written once for a new version', () => {
    const bound = [there(agentResource, agent('a', 'a'), own('a'), { protected: true })];
    const [kept] = plan({ agents: [agent('a', 'a')] }, { bound });
    expect(kept && isDue(kept)).toBe(false);
    const [lifted] = plan({ agents: [agent('a', 'a')] }, { bound }, backend, {
      protect_resources: false,
      blueprint_version: '2',
    });
    const events = lifted && bound[0] && stepEvents(lifted, bound[0], stamp);
    expect(events?.map(({ type, data }) => [type, data.record.version])).toEqual([
      ['BindingAttached', 2],
      ['ProtectionSet', 3],
    ]);
    expect(told(lifted ? [lifted] : [])).toEqual([['agent', 'a', 'unchanged']]);
    expect(refusal(() => requestOf(resourceKinds, { protect_resources: true, resources: {} }))).toMatchObject({
      code: 'bad_request',
    });
  });

  it('B14, B16: adopts the one unmanaged resource of the name, which is not destroyed with the blueprint', () => {
    const others = [there(agentResource, agent('', 'a', { color: 'red' }), null)];
    const [step] = plan({ agents: [agent('a', 'a', { description: 'd' })] }, { others });
    expect(step).toMatchObject({
      action: 'adopted',
      id: 'agent_a',
      differences: [{ field: 'description', before: null, after: 'd' }],
      binding: own('a', { delete_on_destroy: false }),
      wire: { color: 'red', description: 'd' },
    });
    const events = step && others[0] && stepEvents(step, others[0], stamp);
    expect(events?.map(({ type }) => type)).toEqual(['AgentConfigured', 'BindingAttached']);
  });

  it('B14: several of a name, from data before names were unique, are ambiguous', () => {
    const others = [
      there(agentResource, agent('', 'a'), null),
      there(agentResource, agent('', 'a'), null, { id: 'agent_z' }),
    ];
    expect(refusal(() => plan({ agents: [agent('k', 'a')] }, { others }))).toMatchObject({
      code: 'blueprint_conflict',
      reason: 'ambiguous_name',
      resource_type: 'agent',
      key: 'k',
      candidates: ['agent_a', 'agent_z'],
    });
  });

  it('B14: one that another blueprint, or another key, binds is managed elsewhere', () => {
    const elsewhere = {
      namespace: null,
      blueprint_key: 'c',
      blueprint_version: null,
      key: 'theirs',
      delete_on_destroy: true,
    };
    for (const [binding, owner] of [
      [elsewhere, { blueprint_key: 'c', key: 'theirs' }],
      [own('other'), { ...identity, key: 'other' }],
    ] as const) {
      expect(
        refusal(() => plan({ agents: [agent('k', 'a')] }, { others: [there(agentResource, agent('', 'a'), binding)] })),
      ).toMatchObject({ reason: 'managed_elsewhere', owner });
    }
  });

  it('B15: adoption needs custody, and fixed facts that are equal', () => {
    const theirs = { owner: { kind: 'person' as const, id: 'user_ann' } };
    const hidden = { ...theirs, visibility: 'private' as const };
    const of = (change: Partial<AnyRecord>, who?: Identity) =>
      refusal(() =>
        plan({ agents: [agent('k', 'a')] }, { others: [there(agentResource, agent('', 'a'), null, change)] }, who),
      );
    expect(of(theirs)).toMatchObject({ reason: 'unsafe_adoption', candidates: ['agent_a'] });
    expect(of(hidden)).not.toHaveProperty('candidates');
    expect(of({}, caller('human'))).toMatchObject({ reason: 'unsafe_adoption' });
    expect(
      plan(
        { agents: [agent('k', 'a')] },
        { others: [there(agentResource, agent('', 'a'), null, hidden)] },
        caller('human', 'svc.resource.build', 'user_ann'),
      ),
    ).toHaveLength(1);
    expect(
      refusal(() =>
        plan(
          { actions: [action({ type: 'http' })] },
          { others: [there(actionResource, { ...action({ type: 'worker' }), endpoint: undefined as never }, null)] },
        ),
      ),
    ).toMatchObject({ reason: 'immutable_field', field: 'type', resource_type: 'action' });
    expect(
      refusal(() =>
        plan(
          { tables: [table('t', { name: 'a', type: 'number' })] },
          { others: [there(tableResource, table('t', { name: 'a', type: 'string' }), null)] },
        ),
      ),
    ).toMatchObject({ reason: 'immutable_field', field: 'schema.columns.a.type' });
  });

  it('B19: a known key with a new name renames, unless the name is taken', () => {
    const bound = [there(skillResource, agent('s', 'old'), own('s'))];
    expect(told(plan({ skills: [agent('s', 'new')] }, { bound }))).toEqual([['skill', 's', 'updated', 'name']]);
    const others = [there(skillResource, agent('', 'new'), null)];
    expect(refusal(() => plan({ skills: [agent('s', 'new')] }, { bound, others }))).toMatchObject({
      reason: 'name_taken',
      candidates: ['skill_new'],
    });
    expect(told(plan({ skills: [agent('s', 'new'), agent('r', 'old')] }, { bound }))).toEqual([
      ['skill', 's', 'updated', 'name'],
      ['skill', 'r', 'created'],
    ]);
    expect(refusal(() => plan({ skills: [agent('r', 'same'), agent('s', 'same')] }, { bound }))).toMatchObject({
      reason: 'name_taken',
      key: 's',
    });
  });

  it('B20: fixed fields', () => {
    const bound = [
      there(actionResource, action(), own('x')),
      there(tableResource, table('t', { name: 'a', type: 'string' }, { name: 'b', type: 'string' }), own('t')),
    ];
    const fields = (resources: ApplyBody['resources']) =>
      (refusal(() => plan(resources, { bound })).conflicts as JsonObject[]).map(
        ({ reason, field }) => `${String(reason)} ${String(field)}`,
      );
    expect(
      fields({ actions: [{ ...action({ type: 'worker', name: 'acme.other' }), endpoint: undefined as never }] }),
    ).toEqual(['immutable_field name', 'immutable_field type']);
    expect(fields({ tables: [table('t', { name: 'a', type: 'number' })] })).toEqual([
      'immutable_field schema.columns.a.type',
      'immutable_field schema.columns.b',
    ]);
    expect(
      fields({
        tables: [
          table(
            't',
            { name: 'a', type: 'string', required: true },
            { name: 'b', type: 'string' },
            { name: 'c', type: 'string', required: true },
          ),
        ],
      }),
    ).toEqual(['immutable_field schema.columns.a.required', 'immutable_field schema.columns.c.required']);
    const moved = {
      ...table('t', { name: 'a', type: 'string' }, { name: 'b', type: 'string' }),
      schema: { ...schema({ name: 'a', type: 'string' }, { name: 'b', type: 'string' }), identity_column: 'a' },
    };
    expect(fields({ tables: [moved] })).toEqual(['immutable_field schema.identity_column']);
    expect(
      told(
        plan(
          {
            tables: [
              {
                ...table(
                  'renamed',
                  { name: 'a', type: 'string' },
                  { name: 'b', type: 'string' },
                  { name: 'c', type: 'any' },
                ),
              },
            ],
          },
          { bound },
        ),
      ),
    ).toEqual([['table', 't', 'updated', 'name', 'schema']]);
  });

  it('B9, B10, B11: references by key of the request, of a binding, by id, by another blueprint', () => {
    const bound = [there(skillResource, agent('kept', 'kept'), own('kept'))];
    const skills = [there(skillResource, agent('', 'plain'), null)];
    const foreign = {
      [referredId('m', 'far')]: [there(skillResource, agent('', 'far'), own('far', { namespace: 'm' }))],
    };
    const references: JsonObject[] = [
      { key: 'now' },
      { key: 'kept' },
      { id: 'skill_plain' },
      { blueprint_ref: { namespace: 'm', key: 'far' } },
    ];
    const steps = plan(
      { skills: [agent('now', 'now')], agents: [agent('a', 'a', { skills: references })] },
      { bound, skills, foreign },
    );
    expect(steps[1]?.wire).toMatchObject({ skill_ids: ['new skill now', 'skill_kept', 'skill_plain', 'skill_far'] });
    const missing = (reference: JsonObject, world: World = {}) =>
      refusal(() => plan({ agents: [agent('a', 'a', { skills: [reference] })] }, world));
    for (const reference of [{ key: 'no' }, { id: 'no' }, { blueprint_ref: { key: 'far' } }] as JsonObject[]) {
      expect(missing(reference, { foreign })).toEqual({
        code: 'blueprint_reference_not_found',
        reference,
        resource_type: 'agent',
        key: 'a',
      });
    }
    const hidden = there(skillResource, agent('', 'plain'), null, {
      visibility: 'private',
      owner: { kind: 'person', id: 'user_ann' },
    });
    expect(missing({ id: 'skill_plain' }, { skills: [hidden] })).toMatchObject({
      code: 'blueprint_reference_not_found',
    });
    const two = {
      [referredId(null, 'far')]: [
        there(skillResource, agent('', 'far'), own('far')),
        there(skillResource, agent('', 'far2'), own('far')),
      ],
    };
    expect(missing({ blueprint_ref: { key: 'far' } }, { foreign: two })).toMatchObject({
      reason: 'ambiguous_reference',
      candidates: ['skill_far', 'skill_far2'],
    });
    expect(
      refusal(() =>
        plan({ agents: [agent('a', 'a', { skills: [{ id: 'skill_plain' }, { id: 'skill_plain' }] })] }, { skills }),
      ),
    ).toMatchObject({ code: 'bad_request' });
  });

  it('B8: a key once in its list', () => {
    expect(refusal(() => plan({ agents: [agent('a', 'x'), agent('a', 'y')] }))).toMatchObject({
      code: 'bad_request',
      issues: [{ path: '/resources/agents/1/key' }],
    });
  });

  it('B7: an http action needs an endpoint, a worker action has none; reserved names are refused', () => {
    expect(refusal(() => plan({ actions: [{ key: 'x', name: 'acme.send' }] }))).toMatchObject({
      code: 'bad_request',
      issues: [{ path: '/resources/actions/0/endpoint' }],
    });
    expect(refusal(() => plan({ actions: [action({ type: 'worker' })] }))).toMatchObject({
      code: 'bad_request',
      issues: [{ path: '/resources/actions/0/endpoint' }],
    });
    expect(refusal(() => plan({ actions: [action({ name: 'svc.table.list' })] }))).toMatchObject({
      code: 'invalid_argument',
      argument: 'name',
    });
    expect(
      told(
        plan({ actions: [{ key: 'x', name: 'acme.send' }] }, { bound: [there(actionResource, action(), own('x'))] }),
      ),
    ).toEqual([['action', 'x', 'unchanged']]);
  });

  it('B12: every conflict is told, the first one on top', () => {
    const elsewhere = own('theirs', { blueprint_key: 'c' });
    const others = [there(skillResource, agent('', 's'), elsewhere), there(agentResource, agent('', 'a'), elsewhere)];
    const details = refusal(() => plan({ skills: [agent('s', 's')], agents: [agent('a', 'a')] }, { others }));
    expect(details).toMatchObject({ reason: 'managed_elsewhere', resource_type: 'skill', key: 's' });
    expect(details.conflicts).toMatchObject([{ key: 's' }, { key: 'a' }]);
  });
});
