import { Refusal, StoreUnavailable, type Identity, type JsonObject } from '@aos/kernel';
import { linearGrowthMax, timeGrowth } from '@aos/kernel/testing';
import { AssignSkills, CreateAgent } from '../agents/agents.handlers.js';
import type { PageFilter } from '../definition/definition-lists.js';
import { agentResource } from '../resources/agent-resource.js';
import { skillResource } from '../resources/skill-resource.js';
import type { SkillBody } from '../skill/skill.state.js';
import { backend, definitionsProcess, expectContract, newWorld, person } from '../testing/definitions.fixture.js';
import { MortalStore } from '../testing/mortal-store.fixture.js';
import { readSkillDocument } from './skill-document.js';

function start() {
  const service = definitionsProcess(newWorld());
  return {
    service,
    create: (body: SkillBody, who: Identity = backend) => service.create(skillResource, who, body),
    get: (id: unknown, who: Identity = backend) => service.queries.get(skillResource, who, String(id)),
    assign: (agentId: unknown, skillIds: unknown[], who: Identity = backend) =>
      service.assignSkills.execute(
        new AssignSkills(who, { agent_id: String(agentId), skill_ids: skillIds.map(String) }),
      ),
  };
}

describe('skills', () => {
  it('creates, replaces and deletes a skill in the shape of the contract', async () => {
    const { service, create, get } = start();
    const skill = await create({
      name: 'triage',
      instructions: 'Sort.',
      allowed_tools: ['svc.table.list'],
      title: 'Triage',
    });
    expectContract('Skill', skill);
    expect(skill).toMatchObject({
      source: 'custom',
      allowed_actions: ['svc.table.list'],
      allowed_tools: ['svc.table.list'],
      visibility: 'organization',
      posture: 'team',
    });
    const replaced = await service.change(skillResource, backend, skill.id, {
      name: 'sorting',
      instructions: 'Sort well.',
    });
    expect(replaced).toMatchObject({ name: 'sorting', allowed_actions: [] });
    expect(replaced).not.toHaveProperty('title');
    expect(await get(skill.id)).toEqual(replaced);
    await create({ name: 'triage', instructions: 'Again.' });
    await expect(create({ name: 'sorting', instructions: 'x' })).rejects.toMatchObject({
      code: 'already_exists',
      details: { resource_id: skill.id },
    });
    const list = await service.queries.list(skillResource, backend, {});
    expectContract('SkillListResponse', list);
    expect((list.items as JsonObject[]).map(({ name }) => name)).toEqual(['sorting', 'triage']);
    await service.remove(skillResource, backend, skill.id);
    await expect(get(skill.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses both names of one list, blank instructions and reserved tags', async () => {
    const { create } = start();
    await expect(
      create({ name: 's', instructions: 'x', allowed_actions: [], allowed_tools: [] }),
    ).rejects.toMatchObject({ code: 'bad_request' });
    await expect(create({ name: 's', instructions: '  ' })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(create({ name: 's', instructions: 'x', tags: { 'svc:a': 'b' } })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { argument: 'tags' },
    });
  });

  it('assigns skills in order and takes a deleted one off every agent', async () => {
    const { service, create, assign } = start();
    const [first, second] = [
      await create({ name: 'a', instructions: 'x' }),
      await create({ name: 'b', instructions: 'y' }),
    ];
    const { agent } = await service.createAgent.execute(
      new CreateAgent(backend, { body: { name: 'p', visibility: 'organization', skill_ids: [String(first.id)] } }),
    );
    const assigned = await assign(agent.id, [second.id, first.id]);
    expectContract('SkillAssignmentListResponse', assigned);
    expect((assigned.items as JsonObject[]).map(({ skill_id: id, position }) => [id, position])).toEqual([
      [second.id, 0],
      [first.id, 1],
    ]);
    await expect(assign(agent.id, ['skill_00000000000000000000000099'])).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { argument: 'skill_ids' },
    });
    await service.remove(skillResource, backend, second.id);
    expect((await service.queries.get(agentResource, backend, agent.id)).skill_ids).toEqual([first.id]);
    const left = await service.agentQueries.assignments(backend, String(agent.id));
    expect(left.items).toHaveLength(1);
  });

  it.each(Array.from({ length: 6 }, (_, append) => append))(
    'is on no agent once its deletion was asked for again, when the process died at append %i of it',
    async (append) => {
      for (const written of [false, true]) {
        const world = newWorld({ replicas: true });
        const service = definitionsProcess(world);
        const { id: skillId } = await service.create(skillResource, backend, { name: 'a', instructions: 'x' });
        const agents: string[] = [];
        for (const name of ['p', 'q', 'r']) {
          const body = { name, visibility: 'organization' as const, skill_ids: [skillId] };
          agents.push((await service.createAgent.execute(new CreateAgent(backend, { body }))).agent.id);
        }
        const dying = definitionsProcess({ ...world, store: new MortalStore(world.store, { append, written }) });
        for (const process of [dying, service]) {
          await process.remove(skillResource, backend, skillId).catch((error: unknown) => {
            if (!(error instanceof StoreUnavailable) && !(error instanceof Refusal)) throw error;
          });
        }
        await expect(service.queries.get(skillResource, backend, skillId)).rejects.toMatchObject({ code: 'not_found' });
        for (const id of agents) expect((await service.queries.get(agentResource, backend, id)).skill_ids).toEqual([]);
      }
    },
  );

  it('is taken off no agent when it may not be deleted', async () => {
    const { service, create } = start();
    const skill = await create({ name: 'theirs', instructions: 'x', visibility: 'organization' }, person);
    const body = { name: 'p', visibility: 'organization' as const, skill_ids: [skill.id] };
    const { agent } = await service.createAgent.execute(new CreateAgent(backend, { body }));
    await expect(service.remove(skillResource, backend, skill.id)).rejects.toMatchObject({ code: 'permission_denied' });
    expect((await service.queries.get(agentResource, backend, agent.id)).skill_ids).toEqual([skill.id]);
  });

  it('are listed by pages of 8 MiB at most, in each of which is one at least', async () => {
    const { service, create } = start();
    const instructions = 'x'.repeat(200_000);
    const names = Array.from({ length: 90 }, (_, index) => `large-${String(index).padStart(2, '0')}`);
    for (const name of names) await create({ name, instructions });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const filter: PageFilter = cursor === undefined ? { limit: 5000 } : { cursor, limit: 5000 };
      const page = await service.queries.list(skillResource, backend, filter);
      expect(page.items.length).toBeGreaterThan(0);
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(8.5 * 1024 * 1024);
      found.push(...page.items.map(({ name }) => name));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(names);
  });

  it('keeps a private skill to its owner', async () => {
    const { create, get } = start();
    const skill = await create({ name: 'mine', instructions: 'x' }, person);
    expect(skill).toMatchObject({ visibility: 'private', posture: 'only_you' });
    await expect(get(skill.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('skill documents', () => {
  it('reads front matter and instructions', () => {
    const document =
      '---\nname: triage\ndescription: Sorts things\nallowed-tools: svc.table.list, svc.table.get\nrequired_actions: [a.b]\ntags: {level: 2}\nother: 1\n---\n\n# Triage\nSort.\n';
    expect(readSkillDocument(document)).toEqual({
      name: 'triage',
      description: 'Sorts things',
      instructions: '# Triage\nSort.',
      allowed_actions: ['svc.table.list', 'svc.table.get'],
      required_actions: ['a.b'],
      tags: { level: '2' },
    });
    expect(readSkillDocument(document, 'other')).toMatchObject({ name: 'other' });
  });

  it.each([
    ['# Sorting mail', 'Sorting mail'],
    ['#\tSorting  ##', 'Sorting'],
    ['# Sorting## ', 'Sorting'],
    ['# Sorting # mail ##\r\nDo it.', 'Sorting # mail'],
    ['# Sorting ## \nDo it.', 'Sorting ##'],
    ['# ###\nDo it.', '#'],
    ['#\n\nSorting\nDo it.', 'Sorting'],
    ['Do it.\n# Sorting\n# Mail', 'Sorting'],
  ])('%j is named by its heading', (content, name) => {
    expect(readSkillDocument(content).name).toBe(name);
  });

  it('reads front matter of 32 KiB at most, each key once, without a word of the parser, and refuses more in time of its length', async () => {
    const warned = jest.spyOn(process, 'emitWarning');
    const document = (matter: string) => () => readSkillDocument(`---\n${matter}\n---\nDo it.`, 'x');
    const refused = (message: string) =>
      expect.objectContaining({ details: { issues: [{ path: '/content', message }] } });
    const keys = (count: number) => Array.from({ length: count }, (_none, index) => `k${index}: 1`).join('\n');
    const growth = await timeGrowth(10_000, (size) => {
      const long = document(keys(size));
      return () => expect(long).toThrow(refused('the front matter has more than 32768 bytes'));
    });
    expect(growth).toBeLessThan(linearGrowthMax);
    expect(document(keys(3_000))()).toMatchObject({ name: 'x' });
    for (const twice of ['name: a\nname: b', 'tags: {a: 1, a: 2}', '{? [a] : 1, tags: {a: 1, "a": 2}}'])
      expect(document(twice)).toThrow(refused('the front matter is not YAML: Map keys must be unique'));
    expect(document('title: !unknown x')()).toMatchObject({ title: 'x' });
    expect(document('- '.repeat(16_000))).toThrow(Refusal);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it.each([' ', '#'])('reads a heading with many of %j in time of its length', async (character) => {
    const growth = await timeGrowth(2_000, (size) => {
      const long = `a${character.repeat(size)}b`;
      return () => expect(readSkillDocument(`# ${long}`).name).toBe(long);
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });

  it('takes the first heading when nothing else names it, and keeps rules in the text', () => {
    expect(readSkillDocument('# Sorting mail #\nDo it.\n---\nMore.')).toEqual({
      name: 'Sorting mail',
      instructions: '# Sorting mail #\nDo it.\n---\nMore.',
    });
    expect(readSkillDocument('---\r\nname: crlf\r\n---\r\nDo it.')).toEqual({ name: 'crlf', instructions: 'Do it.' });
    expect(readSkillDocument('---\n---\n# Empty\nDo it.')).toMatchObject({ name: 'Empty' });
  });

  it.each([
    ['no name', 'Do it.'],
    ['no instructions', '---\nname: x\n---\n'],
    ['front matter that is a list', '---\n- a\n---\nDo it.'],
    ['broken front matter', '---\na: [\n---\nDo it.'],
    ['aliases', '---\nname: &a x\ntitle: *a\n---\nDo it.'],
    ['a name that is a map', '---\nname: {a: b}\n---\nDo it.'],
  ])('refuses %s', (_what, document) => {
    expect(() => readSkillDocument(document)).toThrow(Refusal);
  });
});
