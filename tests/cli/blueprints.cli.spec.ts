import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Agent, Client, CommandLine, hasPython, unique } from '../harness/index.js';

const api = Client.owner();
const svc = new CommandLine({ SVC_URL: process.env.BASE_URL ?? '', SVC_KEY: process.env.OWNER_KEY ?? '' });
const key = unique('support');
const name = unique('desk');

afterAll(() => {
  svc.remove();
});

function write(file: string, description: string): void {
  const lines = [
    `blueprint_key: ${key}`,
    'resources:',
    '  skills:',
    `    - {key: refunds, name: ${name}-refunds, instructions: How a refund is made}`,
    '  agents:',
    `    - {key: desk, name: ${name}, model: svc-scripted-1, description: ${description}}`,
  ];
  writeFileSync(join(svc.folder, file), `${lines.join('\n')}\n`);
}

describe('a blueprint file', () => {
  it('is planned, applied, changed and destroyed, with + ~ - for fields, counts and exit codes', async () => {
    write('blueprint.yaml', 'First');
    const plan = await svc.run('plan', '-f', 'blueprint.yaml');
    expect(plan).toMatchObject({ code: 0, error: '' });
    expect(plan.out).toContain(`+ agent desk "${name}"`);
    expect(plan.out).toContain('    + description\n');
    expect(plan.out).toContain('Plan: 2 to create, 0 to change, 0 to take over, 0 unchanged.');
    expect((await svc.run('plan', '-f', 'blueprint.yaml', '--detailed-exitcode')).code).toBe(2);
    expect((await api.get<{ items: Agent[] }>('/v1/agents', { name })).items).toEqual([]);

    const applied = await svc.run('apply', '-f', 'blueprint.yaml');
    expect(applied).toMatchObject({ code: 0, error: '' });
    expect(applied.out).toContain('Applied: 2 created, 0 changed, 0 taken over, 0 unchanged.');
    expect(await svc.run('plan', '-f', 'blueprint.yaml', '--detailed-exitcode')).toMatchObject({
      code: 0,
      out: 'No changes: 2 resources are as the blueprint says.\n',
    });

    write('blueprint.yaml', 'Second');
    const changed = await svc.run('plan', '-f', 'blueprint.yaml', '--detailed-exitcode');
    expect(changed.code).toBe(2);
    expect(changed.out).toMatch(
      new RegExp(`~ agent desk "${name}" agent_\\w+\n    ~ description: "First" -> "Second"\n`),
    );
    expect(changed.out).not.toContain('skill');
    expect(parse((await svc.run('apply', '-f', 'blueprint.yaml', '--output', 'yaml')).out)).toMatchObject({
      status: 'applied',
      changes: [{ action: 'unchanged' }, { action: 'updated', fields: ['description'] }],
    });

    const refused = await svc.run('destroy', '-f', 'blueprint.yaml');
    expect(refused).toMatchObject({ code: 2, out: '', error: expect.stringContaining('--yes') as string });
    const destroyed = await svc.run('destroy', '-f', 'blueprint.yaml', '--yes');
    expect(destroyed).toMatchObject({ code: 0, error: '' });
    expect(destroyed.out).toMatch(/- agent desk agent_\w+\n/);
    expect(destroyed.out).toContain('Destroyed: 2 deleted, 0 kept.');
  });

  it('is refused before anything is sent, or with what the service says', async () => {
    writeFileSync(join(svc.folder, 'broken.yaml'), 'resources: [\n');
    writeFileSync(join(svc.folder, 'other.yaml'), 'kind: Deployment\n');
    writeFileSync(join(svc.folder, 'mode.yaml'), 'mode: apply\nresources: {}\n');
    writeFileSync(
      join(svc.folder, 'reference.yaml'),
      `blueprint_key: ${key}\nresources:\n  agents:\n    - {key: a, name: ${unique('a')}, skills: [{key: none}]}\n`,
    );
    const cases: [string, number, string][] = [
      ['broken.yaml', 2, 'no YAML'],
      ['other.yaml', 2, '`resources`'],
      ['mode.yaml', 2, '`mode`'],
      ['none.yaml', 2, 'ENOENT'],
      ['reference.yaml', 1, 'blueprint_reference_not_found'],
    ];
    for (const [file, code, says] of cases) {
      const plan = await svc.run('plan', '-f', file);
      expect(plan).toMatchObject({ code, out: '', error: expect.stringContaining(says) as string });
      expect((await svc.run('plan', '-f', file, '--detailed-exitcode')).code).toBe(1);
    }
    expect(await svc.run('plan')).toMatchObject({ code: 2, out: '' });

    const guarded = unique('guarded');
    const skill = `{key: s, name: ${guarded}, instructions: Stay}`;
    const lines = [`blueprint_key: ${guarded}`, 'protect_resources: true', 'resources:', `  skills: [${skill}]`];
    writeFileSync(join(svc.folder, 'guarded.yaml'), `${lines.join('\n')}\n`);
    expect((await svc.run('apply', '-f', 'guarded.yaml')).code).toBe(0);
    const kept = await svc.run('destroy', '-f', 'guarded.yaml', '--yes');
    expect(kept).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining('svc blueprints protect') as string,
    });
    await svc.json('blueprints', 'protect', guarded, '--data', '{"protected":false}');
    expect((await svc.run('destroy', '-f', 'guarded.yaml', '--yes')).out).toContain('Destroyed: 1 deleted');
  });

  if (!hasPython) it.todo('apply on a terminal: no python3 opens a pseudo-terminal here');
  else
    it('is applied on a terminal after a yes, and not when the plan is stale by then', async () => {
      write('asked.yaml', 'Asked');
      const terminal = svc.terminal(120, 'apply', '-f', 'asked.yaml', '--detailed-exitcode');
      await terminal.shows('2 to create');
      await terminal.shows('Apply this?');
      const other = { key: 'desk', name, model: 'svc-scripted-1', description: 'Meanwhile' };
      await api.post('/v1/blueprints/apply', { blueprint_key: key, resources: { agents: [other] } }, 200);
      terminal.type('y');
      expect(await terminal.end()).toBe(3);
      expect(terminal.text).toContain('the plan is stale');

      const again = svc.terminal(120, 'apply', '-f', 'asked.yaml');
      await again.shows('1 to create, 1 to change');
      await again.shows('Apply this?');
      again.type('y');
      expect(await again.end()).toBe(0);
      expect((await api.get<{ items: Agent[] }>('/v1/agents', { name })).items).toMatchObject([
        { description: 'Asked' },
      ]);
      await svc.run('destroy', '-f', 'asked.yaml', '--yes');
    });

  const guarded = unique('guarded');
  const writeGuarded = (...lines: string[]): void => {
    const skill = `{key: s, name: ${guarded}, instructions: Stay}`;
    const all = [`blueprint_key: ${guarded}`, ...lines, 'resources:', `  skills: [${skill}]`];
    writeFileSync(join(svc.folder, 'protected.yaml'), `${all.join('\n')}\n`);
  };
  const bindings = () => api.get('/v1/blueprints/bindings', { blueprint_key: guarded });

  it('B21: protection and the version of bindings are changes of a plan, too', async () => {
    writeGuarded('protect_resources: true', 'blueprint_version: "1"');
    const first = await svc.run('apply', '-f', 'protected.yaml');
    expect(first.out).toContain('Applied: 1 created');
    expect(await svc.run('plan', '-f', 'protected.yaml', '--detailed-exitcode')).toMatchObject({
      code: 0,
      out: 'No changes: 1 resources are as the blueprint says.\n',
    });

    writeGuarded('protect_resources: false');
    expect(await svc.run('plan', '-f', 'protected.yaml', '--detailed-exitcode')).toMatchObject({
      code: 2,
      out: [
        '~ protect_resources of 1 resources: true -> false\n',
        'Plan: 0 to create, 0 to change, 0 to take over, 1 unchanged.\n',
      ].join('\n'),
    });

    writeGuarded('blueprint_version: "2"');
    expect(await svc.run('plan', '-f', 'protected.yaml', '--detailed-exitcode')).toMatchObject({
      code: 2,
      out: expect.stringContaining('~ blueprint_version of 1 resources: "1" -> "2"\n') as string,
    });
    expect(await bindings()).toMatchObject({ items: [{ protected: true, blueprint_version: '1' }] });
  });

  if (!hasPython) it.todo('protection on a terminal: no python3 opens a pseudo-terminal here');
  else
    it('B21: protection is lifted by an apply on a terminal that changes nothing else', async () => {
      writeGuarded('protect_resources: false');
      const terminal = svc.terminal(120, 'apply', '-f', 'protected.yaml');
      await terminal.shows('protect_resources');
      await terminal.shows('Apply this?');
      terminal.type('y');
      expect(await terminal.end()).toBe(0);
      expect(terminal.text).toContain('Applied: 0 created');
      expect(await bindings()).toMatchObject({ items: [{ protected: false }] });
      await svc.run('destroy', '-f', 'protected.yaml', '--yes');
    });
});
