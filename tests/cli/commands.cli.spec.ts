import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  type Agent,
  anotherOwner,
  Client,
  CommandLine,
  createAgent,
  eventually,
  invoke,
  issueKey,
  person,
  settled,
  unique,
} from '../harness/index.js';

const url = process.env.BASE_URL ?? '';
const key = process.env.OWNER_KEY ?? '';
const api = Client.owner();
const svc = new CommandLine({ SVC_URL: url, SVC_KEY: key });
const stranger: { server?: Server; url: string } = { url: '' };
/** A port that nothing listens on. */
const nowhere = { url: '' };

beforeAll(async () => {
  stranger.server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Another program</h1>');
  });
  stranger.url = await listening(stranger.server);
  const closed = createServer();
  nowhere.url = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
});
afterAll(() => {
  stranger.server?.close();
  svc.remove();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('svc without a terminal', () => {
  it('creates, reads, changes and deletes a resource', async () => {
    const name = unique('cli');
    const made = await svc.json<Agent>(
      'agents',
      'create',
      '--data',
      JSON.stringify({ name, visibility: 'organization' }),
    );
    expect(made).toMatchObject({ name, status: 'active' });
    writeFileSync(join(svc.folder, 'change.yaml'), 'description: |\n  Told by a file\n');
    expect(await svc.json('agents', 'update', made.id, '--data', '@change.yaml')).toMatchObject({
      description: 'Told by a file\n',
    });
    const fed = await svc.fed('{"color":"red"}', 'agents', 'update', made.id, '--data', '-');
    expect([fed.code, JSON.parse(fed.out)]).toEqual([0, expect.objectContaining({ color: 'red' })]);
    expect(parse((await svc.run('agents', 'get', made.id, '--output', 'yaml')).out)).toMatchObject({
      id: made.id,
      name,
    });

    const refused = await svc.run('agents', 'delete', made.id);
    expect(refused).toMatchObject({ code: 2, out: '', error: expect.stringContaining('--yes') as string });
    expect(await svc.run('agents', 'delete', made.id, '--yes')).toEqual({ code: 0, out: '', error: '' });
    expect(await svc.run('agents', 'get', made.id)).toMatchObject({ code: 1, out: '' });
  });

  it('has examples in its help that the service takes', async () => {
    const other = svc.with({ SVC_KEY: String(anotherOwner('Examples').key) });
    const user = (await other.json<{ id: string }>('principals', 'create', '--data', '{"name":"Ada","kind":"human"}'))
      .id;
    for (const words of [
      ['agents', 'create'],
      ['skills', 'create'],
      ['skills', 'import'],
      ['actions', 'create'],
      ['tables', 'create'],
      ['interactions', 'create'],
      ['keys', 'create'],
      ['roles', 'create'],
      ['connections', 'create'],
      ['providers', 'save'],
      ['webhooks', 'create'],
      ['organization', 'set-context'],
      ['organization', 'set-oauth-return-origins'],
    ]) {
      const { out } = await other.run(...words, '--help');
      const [, args = '', body = ''] = /Example:\n +svc \S+ \S+((?: [a-z]+)*)(?: --data '(.*)')?\n/.exec(out) ?? [];
      const data = body === '' ? [] : ['--data', body.replaceAll('user_01', user)];
      const ended = await other.run(...words, ...args.trim().split(' ').filter(Boolean), ...data);
      expect([words, ended.error, ended.code]).toEqual([words, '', 0]);
    }
  });

  it('gives all rows of all pages as one array, a row a line, or as many as were asked for', async () => {
    const table = await svc.json<{ id: string }>(
      ...['tables', 'create', '--data'],
      JSON.stringify({
        name: unique('cli').replaceAll('-', '_'),
        schema: { identity_column: 'n', columns: [{ name: 'n', type: 'string' }] },
      }),
    );
    const rows = Array.from({ length: 130 }, (_none, n) => ({ n: String(n) }));
    await svc.json('rows', 'bulk', table.id, '--data', JSON.stringify({ rows: rows.slice(0, 100) }));
    await svc.json('rows', 'bulk', table.id, '--data', JSON.stringify({ rows: rows.slice(100) }));

    const all = await svc.json<{ data: { n: string } }[]>('rows', 'list', table.id);
    expect(new Set(all.map(({ data }) => data.n))).toEqual(new Set(rows.map(({ n }) => n)));
    expect(all).toHaveLength(130);
    const { out } = await svc.run(
      'rows',
      'list',
      table.id,
      '--output',
      'ndjson',
      '--data',
      '{"limit":5,"filter":{"n":"7"}}',
    );
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([{ data: { n: '7' } }]);
    await createAgent(api);
    expect(await svc.json('agents', 'list', '--limit', '1')).toHaveLength(1);
    expect((await svc.run('rows', 'list', table.id, '--output', 'table')).out).toMatch(/^ID +DATA/);
  });

  it('takes two forms of a list by the number of its arguments, filters and lists of values', async () => {
    const agent = await createAgent(api);
    const ack = await invoke(api, agent.id, 'hello');
    await settled(api, ack);
    expect(await svc.json('turns', 'list', ack.session_id)).toMatchObject([{ id: ack.turn_id, status: 'completed' }]);
    expect(await svc.json('sessions', 'list', '--agent-id', agent.id)).toMatchObject([{ id: ack.session_id }]);
    expect(await svc.json('turns', 'list', ack.session_id, '--ids', ack.turn_id)).toHaveLength(1);
    expect(await svc.json('api', 'GET', `/v1/sessions?agent_id=${agent.id}&limit=1`)).toMatchObject({
      items: [{ id: ack.session_id }],
    });
    const { out } = await svc.run('service', 'openapi-yaml');
    expect(out).toMatch(/^openapi: /);
  });

  it('prints the frames of a session from its beginning', async () => {
    const agent = await createAgent(api);
    const ack = await invoke(api, agent.id, 'first');
    await settled(api, ack);
    const { code, out } = await svc.run('sessions', 'tail', ack.session_id);
    const frames = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(frames).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ event_type: 'message.upsert', role: 'user' }),
        expect.objectContaining({ event_type: 'message.upsert', role: 'assistant' }),
        expect.objectContaining({ event_type: 'turn.upsert', status: 'completed' }),
      ]),
    );
  });

  it('gives a long session whole, each row once', async () => {
    const agent = await createAgent(api);
    const { id } = await svc.json<{ id: string }>(
      'sessions',
      'create',
      '--data',
      JSON.stringify({ agent_id: agent.id }),
    );
    const messages = Array.from({ length: 60 }, (_none, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: `row ${index}` }],
    }));
    for (let round = 0; round < 4; round += 1)
      await svc.json('sessions', 'append', id, '--data', JSON.stringify({ messages }));
    const { out } = await svc.run('sessions', 'tail', id);
    const sequences = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event_type: string; sequence?: number })
      .filter(({ event_type: type }) => type === 'message.upsert')
      .map(({ sequence }) => sequence);
    const all = Array.from({ length: 240 }, (_none, index) => index + 1);
    expect(sequences).toEqual(all);
    const newest = async (...options: string[]) =>
      (await svc.json<{ sequence: number }[]>('sessions', 'messages', id, '--order', 'desc', ...options)).map(
        ({ sequence }) => sequence,
      );
    expect(await newest()).toEqual(all);
    expect(await newest('--limit', '130')).toEqual(all.slice(-130));
  });

  it.each([0, 120])('shows the question that a session waits with, behind %d older rows', async (rows) => {
    const agent = await createAgent(api);
    const { id: person_id } = await person(api);
    const ack = await invoke(api, agent.id, 'first');
    await settled(api, ack);
    const { session_id: id, turn_id: invocation_id } = ack;
    const older = Array.from({ length: rows }, () => ({ role: 'user', content: [{ type: 'text', text: 'row' }] }));
    for (let from = 0; from < rows; from += 60)
      await svc.json('sessions', 'append', id, '--data', JSON.stringify({ messages: older.slice(from, from + 60) }));
    const question = {
      kind: 'request_approval',
      title: 'May I?',
      target_user_ids: [person_id],
      consumer: { kind: 'agent_tool', agent_tool: { invocation_id, tool_call_id: 'c' } },
    };
    await svc.json('interactions', 'create', '--data', JSON.stringify(question));
    await eventually('the question', async () => {
      const { interactions } = await svc.json<{ interactions: unknown[] }>('sessions', 'transcript', id);
      return interactions.length > 0;
    });
    const { out } = await svc.run('sessions', 'tail', id);
    expect(out).toMatch(/^{"event_type":"interaction.upsert".*"title":"May I\?"/m);
  });

  it('says which service and who, and that all is well', async () => {
    expect(await svc.json('status')).toMatchObject({
      url,
      principal: { id: expect.any(String) as string },
      service: { status: 'ok' },
    });
    const { code, out } = await svc.run('doctor', '--output', 'json');
    const checks = JSON.parse(out) as { check: string; ok: boolean; message: string }[];
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(code).toBe(0);
    expect(checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['settings', 'service', 'engines', 'key', 'clock', 'disk', 'versions']),
    );
  });
});

describe('svc login', () => {
  it('reads the key from its input, tries it, and keeps it for its owner only', async () => {
    const { key: own } = await issueKey(api, 'Viewer');
    const bare = svc.with({ SVC_URL: '', SVC_KEY: '' });
    const before = await bare.run('status');
    expect(before).toMatchObject({ code: 1, out: '', error: expect.stringContaining('svc login') as string });

    for (const [given, said] of [
      ['', 'no API key came in'],
      ['svck', 'what came in is no API key'],
      ['two words of a text', 'what came in is no API key'],
    ] as const)
      expect(await bare.fed(given, 'login', '--url', url)).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining(`Error: ${said}\n`) as string,
      });
    const wrong = await bare.fed('svck_0000000000000000000000000000000000000000\n', 'login', '--url', url);
    expect(wrong).toMatchObject({ code: 1, out: '', error: expect.stringContaining('unauthorized') as string });

    const logged = await bare.fed(`${own}\n`, 'login', '--url', url);
    expect(logged).toMatchObject({ code: 0, out: '', error: expect.stringContaining(`Logged in to ${url}`) as string });
    expect(statSync(svc.profiles).mode & 0o777).toBe(0o600);
    expect(parse(readFileSync(svc.profiles, 'utf8'))).toMatchObject({
      current: 'default',
      profiles: { default: { url, key: own } },
    });
    expect(await bare.json('status')).toMatchObject({ url, url_from: 'profile', key_from: 'profile' });

    const elsewhere = await bare.run('status', '--url', stranger.url);
    expect(elsewhere).toMatchObject({
      code: 1,
      error: expect.stringContaining(`no API key for ${stranger.url}`) as string,
    });
    expect(await bare.run('status', '--profile', 'other')).toMatchObject({ code: 2, out: '' });
  });
});

describe('a mistake', () => {
  const cases: [string, (here: CommandLine) => CommandLine, string[], number, string[]][] = [
    [
      'a wrong key',
      (here) => here.with({ SVC_KEY: 'svck_0000000000000000000000000000000000000000' }),
      ['agents', 'list'],
      1,
      ['unauthorized', 'SVC_KEY', 'svc login', 'Request: '],
    ],
    [
      'a wrong port',
      (here) => here.with({ SVC_URL: stranger.url }),
      ['agents', 'list'],
      1,
      ['is not this service', 'port'],
    ],
    [
      'a service that is down',
      (here) => here.with({ SVC_URL: nowhere.url }),
      ['agents', 'list'],
      1,
      ['nothing answers at http://127.0.0.1:', 'SVC_URL', 'npm start'],
    ],
    [
      'a file that is not there',
      (here) => here,
      ['agents', 'create', '--data', '@none.json'],
      2,
      ['none.json', 'ENOENT'],
    ],
    ['a body that is no JSON', (here) => here, ['agents', 'create', '--data', '{'], 2, ['--data is no JSON']],
    ['a body that is missing', (here) => here, ['agents', 'create'], 2, ['--data', 'svc agents create --data']],
    ['a body that is refused', (here) => here, ['agents', 'create', '--data', '{}'], 1, ['name', '--help']],
    ['a resource out of reach', (here) => here, ['agents', 'get', 'agent_none'], 1, ['not_found', 'list']],
    ['an unknown command', (here) => here, ['agnets', 'list'], 2, ['unknown command', 'agents']],
    ['an unknown option', (here) => here, ['agents', 'list', '--nmae', 'x'], 2, ['unknown option', '--name']],
    ['a missing argument', (here) => here, ['agents', 'get'], 2, ['missing required argument', 'agent_id']],
    ['a key among the arguments', (here) => here, ['agents', 'list', '--key', 'x'], 2, ['--key', 'SVC_KEY']],
    [
      'an address that is none',
      (here) => here,
      ['agents', 'list', '--url', 'ftp://x'],
      2,
      ['--url', 'http://127.0.0.1:8080'],
    ],
    ['a number that is none', (here) => here, ['agents', 'list', '--limit', 'ten'], 2, ['--limit', 'ten']],
    [
      'dots in place of an id, which would cancel the session and all its turns',
      (here) => here,
      ['turns', 'cancel', 'ses_1', '..'],
      2,
      ['<turn_id> is ".."'],
    ],
    ['an id that is empty', (here) => here, ['agents', 'delete', '', '--yes'], 2, ['<agent_id> is ""']],
    [
      'a key of two lines',
      (here) => here.with({ SVC_KEY: 'svck_1\nsvck_2' }),
      ['agents', 'list'],
      1,
      ['unauthorized', 'SVC_KEY', 'svc login'],
    ],
    ['an unknown profile', (here) => here, ['agents', 'list', '--profile', 'nope'], 2, ['nope', 'svc login']],
  ];

  it.each(cases)('%s: the program says what to do, on standard error alone', async (_what, at, argv, code, says) => {
    const ended = await at(svc).run(...argv);
    expect(ended).toMatchObject({ code, out: '' });
    for (const text of says) expect(ended.error).toContain(text);
    expect(ended.error).not.toMatch(/\n\s+at .*:\d+:\d+/);
    expect(ended.error).not.toContain('svck_2');
  });

  it('of the disk, which is full, is said in a line', () => {
    const full = openSync('/dev/full', 'w');
    const command = [join(__dirname, '..', '..', 'dist', 'apps', 'svc', 'src', 'main.js'), 'completion', 'bash'];
    const ended = spawnSync(process.execPath, command, { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    closeSync(full);
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('ENOSPC') as string });
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('is found by doctor, which ends with 1', async () => {
    const { code, out } = await svc.with({ SVC_URL: nowhere.url, SVC_PROT: '1' }).run('doctor', '--output', 'json');
    const checks = JSON.parse(out) as { check: string; ok: boolean; message: string; fix?: string }[];
    expect(code).toBe(1);
    expect(checks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'service', ok: false, fix: expect.stringContaining('npm start') as string }),
        expect.objectContaining({ check: 'settings', ok: false, message: 'SVC_PROT is no setting' }),
      ]),
    );
    expect(checks.filter(({ ok, fix }) => !ok && (fix ?? '') === '')).toEqual([]);
  });
});
