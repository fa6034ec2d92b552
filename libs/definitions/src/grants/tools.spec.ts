import type { QueryOf } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { CreateAgent } from '../agents/agents.handlers.js';
import type { ActionSelector } from '../agent/agent.events.js';
import { skillResource } from '../resources/skill-resource.js';
import {
  backend,
  definitionsProcess,
  expectContract,
  newWorld,
  otherPerson,
  person,
} from '../testing/definitions.fixture.js';
import type { CatalogAction } from './catalog-action.wire.js';
import { narrowedBySkills, resolveGrant } from './tools.decide.js';

const platform = (name: string, more: Partial<CatalogAction> = {}): CatalogAction => ({
  name,
  endpoint_kind: 'builtin',
  source: 'platform',
  definition_scope: 'platform',
  readiness: 'ready',
  risk: 'low',
  annotations: { read_only: true },
  ...more,
});
const custom = (name: string): CatalogAction => ({
  ...platform(name),
  id: 'act_1',
  endpoint_kind: 'http',
  source: 'custom',
  definition_scope: 'custom',
  owner: { kind: 'team', id: null },
  visibility: 'organization',
});

const catalog = [
  custom('send-email'),
  platform('svc.memory.recall'),
  platform('svc.skill.invoke'),
  platform('svc.table.get_row'),
  platform('svc.table.save_row'),
  platform('svc.tables.other'),
  platform('github.issue.create', { integration: 'github' }),
];

const granted = (...selectors: ActionSelector[]) => resolveGrant(selectors, catalog).actions.map(({ name }) => name);

describe('grants', () => {
  it('resolves every type of selector, and grants nothing beside them', () => {
    expect(granted()).toEqual([]);
    expect(granted({ selector_type: 'exact', selector: 'svc.table' })).toEqual([]);
    expect(granted({ selector_type: 'exact', selector: 'svc.table.get_row' })).toEqual(['svc.table.get_row']);
    expect(granted({ selector_type: 'group', selector: 'svc.table' })).toEqual([
      'svc.table.get_row',
      'svc.table.save_row',
    ]);
    expect(granted({ selector_type: 'platform', selector: 'github' })).toEqual(['github.issue.create']);
    expect(granted({ selector_type: 'custom', selector: '' })).toEqual(['send-email']);
    expect(granted({ selector_type: 'wildcard', selector: '' })).toHaveLength(catalog.length);
  });

  it('narrows by the invoked skills, memory and skill tools exempt, and never widens', async () => {
    const service = definitionsProcess(newWorld());
    const made = await service.create(skillResource, backend, {
      name: 's',
      instructions: 'x',
      allowed_actions: ['svc.table.get_row', 'not.granted'],
    });
    const skill = await service.skills.skill(backend.orgId, String(made.id));
    if (!skill) throw new Error('no skill');
    expect(narrowedBySkills(catalog, [skill]).map(({ name }) => name)).toEqual([
      'svc.memory.recall',
      'svc.skill.invoke',
      'svc.table.get_row',
    ]);
    expect(narrowedBySkills(catalog, [])).toHaveLength(catalog.length);
  });
});

describe('tool manifest', () => {
  async function start() {
    const service = definitionsProcess(newWorld());
    service.catalog.register({
      name: 'test',
      actions: async () => catalog,
      action: async (_org, name) => catalog.find((action) => action.name === name) ?? null,
    });
    const skill = await service.create(skillResource, backend, {
      name: 'rows',
      instructions: 'x',
      allowed_actions: ['svc.table.get_row'],
      required_actions: ['svc.table.get_row', 'absent.action'],
      description: 'Reads rows',
    });
    const { agent } = await service.createAgent.execute(
      new CreateAgent(backend, {
        body: {
          name: 'p',
          visibility: 'organization',
          skill_ids: [String(skill.id)],
          action_selectors: [
            { selector_type: 'group', selector: 'svc.table' },
            { selector: 'send-email' },
            { selector: 'gone' },
          ],
        },
      }),
    );
    const tools = (filter: QueryOf<'getAgentTools'> = {}) =>
      service.toolQueries.ofAgent(backend, String(agent.id), filter) as Promise<JsonObject & { tools: JsonObject[] }>;
    return { service, agent, skill, tools };
  }

  it('lists what the agent can call, what its skills miss, and what matches nothing', async () => {
    const { tools, skill } = await start();
    const found = await tools();
    expectContract('AgentToolManifest', found);
    expect(found.tools.map(({ name }) => name)).toEqual(['send-email', 'svc.table.get_row', 'svc.table.save_row']);
    expect(found.groups_resolved).toEqual([
      { name: 'svc.table', members: ['svc.table.get_row', 'svc.table.save_row'] },
    ]);
    expect(found.skills).toEqual([
      {
        id: skill.id,
        name: 'rows',
        description: 'Reads rows',
        active: false,
        missing_required: ['absent.action'],
        missing_recommended: [],
      },
    ]);
    expect((found.warnings as JsonObject[]).map(({ code }) => code)).toEqual([
      'selector_unmatched',
      'skill_requirement_missing',
      'skill_invoke_not_granted',
    ]);
  });

  it('shows the scope of an invoked skill and of a further filter', async () => {
    const { tools } = await start();
    const whole = await tools();
    const narrowed = await tools({ skill_name: 'rows' });
    expect(narrowed.tools.map(({ name }) => name)).toEqual(['svc.table.get_row']);
    expect(narrowed.policy_hash).not.toBe(whole.policy_hash);
    expect((await tools()).policy_hash).toBe(whole.policy_hash);
    expect((await tools({ allowed_tools: 'send-email, x' })).tools.map(({ name }) => name)).toEqual(['send-email']);
    await expect(tools({ skill_name: 'none' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('does not show the tools of an agent out of reach', async () => {
    const { service } = await start();
    const { agent } = await service.createAgent.execute(new CreateAgent(person, { body: { name: 'mine' } }));
    await expect(service.toolQueries.ofAgent(otherPerson, String(agent.id), {})).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
