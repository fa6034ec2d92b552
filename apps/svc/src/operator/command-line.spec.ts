import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AccessModule,
  OperatorCommands,
  OperatorEndpointModule,
  OperatorSocketModule,
  Organizations,
  rebuildUsages,
  usageText,
} from '@aos/access';
import { SystemClock } from '@aos/adapters/system';
import { embeddedPorts, portsModule } from '@aos/composition';
import { callbackUsages } from '@aos/interactions';
import { ReadStore } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import {
  commandsPath,
  CommandsController,
  identityHeader,
  operatorIdentity,
  startApp,
  type RunningApp,
} from '@aos/platform';
import { complaintOf } from '../connection/complaints.js';
import { Complaint } from '../console/complaint.js';
import { BadUsage, parseArguments } from './arguments.js';
import { runCommandLine } from './command-line.js';

const dataDir = mkdtempSync(join(tmpdir(), 'svc-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const svc = (...argv: string[]) => svcIn({ SVC_DATA_DIR: dataDir }, ...argv);

async function svcIn(env: NodeJS.ProcessEnv, ...argv: string[]) {
  let out = '';
  try {
    const code = await runCommandLine(argv, env, (text) => {
      out += text;
    });
    return { code, out, error: '' };
  } catch (error) {
    const { message, next, exitCode } = error instanceof Complaint ? error : complaintOf(error);
    return { code: exitCode, out, error: [message, ...next].join('\n') };
  }
}

describe('arguments', () => {
  it('are words and options', () => {
    const parsed = (...argv: string[]) => parseArguments(argv, new Set(['c']));
    expect(parsed('org', 'create', 'My', '--c', 'Org', '--a', '1', '--b=2=3', '--', '--x')).toEqual({
      words: ['org', 'create', 'My', 'Org', '--x'],
      options: { a: '1', b: '2=3', c: 'on' },
      wantsHelp: false,
    });
    expect(() => parsed('--a')).toThrow(BadUsage);
    expect(() => parsed('key', '-role', 'Viewer')).toThrow(BadUsage);
  });
});

describe('the command line where no service ever ran', () => {
  it('says so, and makes neither a folder nor keys', async () => {
    const absent = join(dataDir, 'no', 'such', 'folder');
    const empty = mkdtempSync(join(dataDir, 'empty-'));
    for (const folder of [absent, empty]) {
      const { code, out, error } = await svcIn({ SVC_DATA_DIR: folder }, 'org', 'create', 'Lost');
      expect([code, out]).toEqual([2, '']);
      expect(error).toContain(`SVC_DATA_DIR: ${folder} holds no service's data`);
    }
    expect([existsSync(join(dataDir, 'no')), readdirSync(empty)]).toEqual([false, []]);
  });

  it('makes no keys for a log that is there without its own', async () => {
    const folder = mkdtempSync(join(dataDir, 'keyless-'));
    writeFileSync(join(folder, 'log.db'), '');
    expect(await svcIn({ SVC_DATA_DIR: folder }, 'key', 'list')).toMatchObject({
      code: 2,
      error: expect.stringContaining('SVC_MASTER_KEYS'),
    });
    expect(readdirSync(folder)).toEqual(['log.db']);
  });
});

describe('the command line on a directory that nobody holds', () => {
  beforeAll(async () => {
    const app = await startApp(
      'embedded',
      async (core) => {
        const ports = await embeddedPorts(core);
        core.closers.push(() => ports.close());
        return [portsModule(ports), AccessModule];
      },
      {
        clock: new SystemClock(),
        graceMs: 200,
        env: { SVC_PORT: '0', SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: 'silent' },
      },
    );
    await app.stop();
  });

  it('tells how it is used', async () => {
    expect(await svc('--help')).toMatchObject({ code: 0, error: '' });
    expect((await svc('--help')).out).toContain('org create <name>');
    expect((await svc('--help')).out).toContain('\n  rebuild --verify\n');
    for (const words of [['key'], ['key', 'list'], ['org', 'create', 'Mine']])
      expect(await svc(...words, '--help')).toMatchObject({ code: 0, error: '' });
    expect(await svc()).toMatchObject({ code: 2, out: '' });
    expect(await svc('key', 'make', '--help')).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('no operator'),
    });
  });

  it('makes an organization, and works in it', async () => {
    const { code, out } = await svc('org', 'create', 'My', 'Org');
    const made = JSON.parse(out) as Record<string, string>;
    expect(code).toBe(0);
    expect(Object.keys(made)).toEqual(['org_id', 'owner_key']);
    expect(made.owner_key).toMatch(/^svck_[0-9A-Za-z]{40}$/);
    const org = String(made.org_id);
    const key = JSON.parse((await svc('key', 'create', 'ci', '--org', org, '--role', 'Viewer')).out) as Record<
      string,
      string
    >;
    expect(key).toMatchObject({ name: 'ci', org_role: 'Viewer' });
    expect((await svc('key', 'revoke', String(key.id), '--org', org)).code).toBe(0);
    const refused = await svc('key', 'revoke', String(key.id), '--org', org);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.error).toContain('not_found');
    expect(JSON.parse((await svc('key', 'list', '--org', org)).out)).toMatchObject({ items: [{ org_role: 'Owner' }] });
  });
});

describe('the command line on an older log', () => {
  it('moves it over, and says how many events that were', async () => {
    const folder = mkdtempSync(join(dataDir, 'older-'));
    copyFileSync(
      join(__dirname, '../../../../libs/adapters/sqlite/src/testing/format-1/log.db'),
      join(folder, 'log.db'),
    );
    const env = { SVC_DATA_DIR: folder, SVC_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
    const moved = () => svcIn(env, 'log', 'convert');
    expect(await moved()).toEqual({ code: 0, out: '{"moved":31}\n', error: '' });
    expect(await moved()).toEqual({ code: 0, out: '{"moved":0}\n', error: '' });
  });
});

describe('the command line beside a running service', () => {
  const startBeside = () =>
    startApp(
      'embedded',
      async (core) => {
        const ports = await embeddedPorts(core);
        core.closers.push(() => ports.close());
        return [portsModule(ports), AccessModule, OperatorSocketModule];
      },
      {
        clock: new SystemClock(),
        graceMs: 200,
        env: { SVC_PORT: '0', SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: 'silent' },
      },
    );

  it('works through its socket, and the key it makes opens the API at once', async () => {
    const app = await startBeside();
    try {
      const status = async (key: string) =>
        (await fetch(`${app.url}/v1/roles`, { headers: { authorization: `Bearer ${key}` } })).status;
      const made = JSON.parse((await svc('org', 'create', 'Beside')).out) as Record<string, string>;
      expect(await status(String(made.owner_key))).toBe(200);
      await app.nest.get(Organizations, { strict: false }).ensureFirst({}, () => undefined);
      const key = JSON.parse((await svc('key', 'create', 'for the first organization')).out) as Record<string, string>;
      expect(await status(String(key.key))).toBe(200);
      expect((await svc('key', 'revoke', String(key.id))).code).toBe(0);
      expect(await status(String(key.key))).toBe(401);
      expect(await svc('key', 'create', 'misspelt', '--rol', 'Viewer')).toMatchObject({
        code: 2,
        error: expect.stringContaining('--rol is no option of svc key create\nsvc key create <name> [--org <org_id>]'),
      });
      expect(await svc('role', 'list', 'Admin')).toMatchObject({
        code: 2,
        error: '"Admin" is too much\nsvc role list [--org <org_id>] [--cursor <next_cursor>]',
      });
      for (const [words, usage] of [
        [['key'], 'svc key revoke <key_id> [--org <org_id>]'],
        [['org', 'plan'], 'svc org plan <org_id> <plan>'],
        [['rebuild'], 'svc rebuild --verify\nsvc rebuild <projection>@<version>'],
      ] as const) {
        const { code, error } = await svc(...words);
        expect([code, error.startsWith(`svc ${words.join(' ')} is not complete\n`), error.endsWith(usage)]).toEqual([
          2,
          true,
          true,
        ]);
      }
      expect(await svc('log', 'compact')).toEqual({
        code: 2,
        out: '',
        error: '"log compact" is no operator\'s command\nsvc log convert',
      });
    } finally {
      await app.stop();
    }
  });

  it('lists a thousand keys at a time, and goes on from the cursor of the last', async () => {
    const app = await startBeside();
    try {
      const { org_id: org = '' } = JSON.parse((await svc('org', 'create', 'Many')).out) as Record<string, string>;
      const readStore = app.nest.get(ReadStore, { strict: false });
      await readStore.put(
        Array.from({ length: 1_000 }, (_, n) => ({
          collection: 'api_keys@1',
          scope: [org],
          key: `cred_${n}`,
          revision: 1,
          doc: { id: `cred_${n}` },
          index: { created: '2030-01-01T00:00:00Z' },
        })),
      );
      const list = async (...options: string[]) =>
        JSON.parse((await svc('key', 'list', '--org', org, ...options)).out) as {
          items: { id: string }[];
          has_more: boolean;
          next_cursor?: string;
        };
      const first = await list();
      expect([first.items.length, first.has_more]).toEqual([1_000, true]);
      const last = await list('--cursor', String(first.next_cursor));
      expect([last.items.length, last.has_more]).toEqual([1, false]);
      expect(new Set([...first.items, ...last.items].map(({ id }) => id)).size).toBe(1_001);
      expect(JSON.parse((await svc('role', 'list', '--org', org)).out)).toMatchObject({ has_more: false });
      expect(await svc('role', 'list', '--org', org, '--cursor', String(first.next_cursor))).toMatchObject({
        code: 1,
        error: expect.stringContaining('invalid_cursor'),
      });
    } finally {
      await app.stop();
    }
  });

  it('says what it needs to find a fleet', async () => {
    const env = { SVC_EVENTSTOREDB_URL: 'esdb://127.0.0.1:1', SVC_DATA_DIR: join(dataDir, 'nothing') };
    expect(await svcIn(env, 'role', 'list')).toMatchObject({
      code: 2,
      error: expect.stringContaining('SVC_GATEWAY_UPSTREAMS'),
    });
    expect(
      await svcIn({ ...env, SVC_GATEWAY_UPSTREAMS: '{"access-service":"http://127.0.0.1:1"}' }, 'role', 'list'),
    ).toMatchObject({ code: 2, error: expect.stringContaining('SVC_MASTER_KEYS') });
  });

  it('needs the service to run for what concerns all of its data', async () => {
    for (const words of [
      ['rebuild', '--verify'],
      ['callback', 'redrive', 'iact_1'],
    ]) {
      expect(await svc(...words)).toMatchObject({ code: 1, error: expect.stringContaining('nothing runs') });
    }
  });
});

describe('the command line beside a fleet', () => {
  const masterKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  const folder = join(dataDir, 'fleet');
  let app: RunningApp;
  let commands: OperatorCommands;

  beforeAll(async () => {
    app = await startApp(
      'access-service',
      async (core) => {
        const ports = await embeddedPorts(core);
        core.closers.push(() => ports.close());
        return [
          portsModule(ports),
          AccessModule,
          OperatorEndpointModule,
          { module: class CommandsModule {}, controllers: [CommandsController] },
        ];
      },
      {
        clock: new SystemClock(),
        graceMs: 200,
        identities: 'signed',
        internalPaths: [commandsPath],
        env: {
          SVC_PORT: '0',
          SVC_DATA_DIR: folder,
          SVC_LOG_LEVEL: 'silent',
          SVC_MASTER_KEYS: masterKeys,
          SVC_LEASE_SECONDS: '1',
        },
      },
    );
    commands = app.nest.get(OperatorCommands, { strict: false });
  });
  afterAll(() => app.stop());

  const there = () => ({
    SVC_GATEWAY_UPSTREAMS: JSON.stringify({ 'access-service': ['http://127.0.0.1:3', app.url] }),
    SVC_MASTER_KEYS: masterKeys,
    SVC_DATA_DIR: join(dataDir, 'elsewhere'),
  });

  it('is believed by its keys, and asks the replica that is there', async () => {
    const made = JSON.parse((await svcIn(there(), 'org', 'create', 'Ours')).out) as Record<string, string>;
    expect(made.owner_key).toMatch(/^svck_/);
    expect(JSON.parse((await svcIn(there(), 'org', 'plan', String(made.org_id), 'pro')).out)).toEqual({
      org_id: made.org_id,
      plan: 'pro',
    });
    expect(JSON.parse((await svcIn(there(), 'key', 'list', '--org', String(made.org_id))).out)).toMatchObject({
      items: [{ org_role: 'Owner' }],
    });
    expect(await svcIn(there(), 'key', 'revoke', 'cred_unknown', '--org', String(made.org_id))).toMatchObject({
      code: 1,
      error: expect.stringContaining('not_found'),
    });
  });

  it('finds the services that the launcher wrote down', async () => {
    writeFileSync(
      join(folder, 'fleet.json'),
      JSON.stringify({
        gateway: 'http://127.0.0.1:1',
        services: [
          { name: 'gateway', url: 'http://127.0.0.1:1' },
          { name: 'access-service', url: app.url },
        ],
      }),
    );
    expect((await svcIn({ SVC_DATA_DIR: folder, SVC_MASTER_KEYS: masterKeys }, 'org', 'create', 'Found')).code).toBe(0);
  });

  it('is believed by nobody with other keys, and services are no operators', async () => {
    const other = `k1:${Buffer.alloc(32, 8).toString('base64')}`;
    expect(await svcIn({ ...there(), SVC_MASTER_KEYS: other }, 'role', 'list')).toMatchObject({
      code: 1,
      error: expect.stringContaining('does not believe'),
    });
    const asService = await fetch(`${app.url}/internal/commands/operators.run`, {
      method: 'POST',
      body: JSON.stringify({ delivery_id: 'd', payload: { words: ['role', 'list'], options: {} } }),
      headers: {
        'content-type': 'application/json',
        [identityHeader]: app.core.identityTokens.mint(
          { ...operatorIdentity('r'), orgId: 'org_1', principalId: 'service_1' },
          'access-service',
        ),
      },
    });
    expect(asService.status).toBe(404);
  });

  it('checks projections, shows what differs, and has one built again', async () => {
    const verified = await svcIn(there(), 'rebuild', '--verify');
    expect(verified).toMatchObject({ code: 0, error: '' });
    const { services } = JSON.parse(verified.out) as {
      services: Record<
        string,
        { collections: { collection: string; rows: number; hash: string; rebuilt_hash: string }[] }
      >;
    };
    const keys = services['access-service']?.collections.find(({ collection }) => collection === 'api_keys@1');
    expect(keys?.rows).toBeGreaterThan(0);
    expect(keys?.hash).toBe(keys?.rebuilt_hash);
    const audit = services['access-service']?.collections.find(({ collection }) => collection === 'audit@1');
    expect(audit?.rows).toBeGreaterThan(0);
    expect(audit?.hash).toBe(audit?.rebuilt_hash);
    const readStore = app.nest.get(ReadStore, { strict: false });
    await readStore.put([
      { collection: 'api_keys@1', scope: ['org_x'], key: 'forged', revision: 1, doc: { forged: true }, index: {} },
    ]);
    const differs = await svcIn(there(), 'rebuild', '--verify');
    expect(differs.code).toBe(1);
    expect(differs.out).toContain('{"scope":"org_x","key":"forged","what":"left over"}');
    expect(await svcIn(there(), 'rebuild', 'api_keys@1')).toMatchObject({
      code: 0,
      out: expect.stringContaining('access-service'),
    });
    await eventually(
      'the rows being built again',
      async () => (await svcIn(there(), 'rebuild', '--verify')).code === 0,
    );
    expect((await svcIn(there(), 'rebuild', 'nothing@1')).code).toBe(1);
  });

  it('tells of every command that is there', async () => {
    const { out } = await svc('--help');
    for (const usage of [...commands.usages, ...Object.values(callbackUsages), ...Object.values(rebuildUsages)])
      expect(out).toContain(usageText(usage));
  });
});
