import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Client, createAgent, eventually, invoke, readTurn, unique } from '../harness/index.js';
import { fleet } from './fleet.js';

const root = join(__dirname, '..', '..');

interface Said {
  code: number;
  out: string;
  error: string;
}

/** The operator's command line, beside the fleet: it knows the data directory and nothing else. */
function svc(...argv: string[]): Promise<Said> {
  const env = { ...process.env, SVC_DATA_DIR: process.env['SERVICE_DATA_DIR'] };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'tools', 'run.mjs'), join(root, 'tools', 'start.mjs'), 'svc', ...argv],
      { cwd: root, env },
      (failure, out, error) => {
        resolve({ code: failure ? Number(failure.code) : 0, out, error });
      },
    );
  });
}

describe('the operator of a fleet', () => {
  it('makes an organization whose key opens the door, and takes a key away again', async () => {
    expect(fleet().services.length).toBeGreaterThan(0);
    const made = await svc('org', 'create', unique('operated'));
    expect(made.code).toBe(0);
    const { org_id: org, owner_key: ownerKey } = JSON.parse(made.out) as { org_id: string; owner_key: string };
    const owner = Client.owner().as(ownerKey);
    await owner.get('/v1/roles');
    expect(JSON.parse((await svc('org', 'plan', org, 'pro')).out)).toEqual({ org_id: org, plan: 'pro' });
    const issued = JSON.parse((await svc('key', 'create', 'ci', '--org', org, '--role', 'Viewer')).out) as {
      id: string;
      key: string;
    };
    const viewer = owner.as(issued.key);
    expect((await viewer.send('GET', '/v1/agents')).status).toBe(200);
    expect((await svc('key', 'revoke', issued.id, '--org', org)).code).toBe(0);
    await eventually('the key being refused', async () => (await viewer.send('GET', '/v1/agents')).status === 401);
    expect((await svc('role', 'list', '--org', org)).out).toContain('Owner');
    const resealed = await svc('secrets', 'reseal');
    expect(JSON.parse(resealed.out)).toMatchObject({ done: true, resealed: 0, unreadable: 0 });
    expect(await svc('callback', 'redrive', 'iact_00000000000000000000000000')).toMatchObject({
      code: 1,
      error: expect.stringContaining('not_found'),
    });
  });

  it('invariant 71: every projection of every service is what the log says, while turns run', async () => {
    const api = Client.owner();
    const agent = await createAgent(api, { name: unique('verified') });
    const turns = await Promise.all(Array.from({ length: 5 }, () => invoke(api, agent.id, 'hello')));
    const verified = await svc('rebuild', '--verify');
    const { services } = JSON.parse(verified.out) as {
      services: Record<
        string,
        {
          error: string | null;
          collections: { collection: string; rows: number; matches: boolean; differences: unknown[] }[];
        }
      >;
    };
    expect(Object.entries(services).filter(([, { error }]) => error !== null)).toEqual([]);
    const collections = Object.values(services).flatMap(({ collections: own }) => own);
    expect(collections.filter(({ matches }) => !matches)).toEqual([]);
    expect(collections.find(({ collection }) => collection.startsWith('agents@'))?.rows).toBeGreaterThan(0);
    expect(collections.find(({ collection }) => collection.startsWith('sessions@'))?.rows).toBeGreaterThan(0);
    for (const ordered of ['source_events@', 'audit@'])
      expect(collections.find(({ collection }) => collection.startsWith(ordered))?.rows).toBeGreaterThan(0);
    expect(verified.code).toBe(0);
    for (const turn of turns) await readTurn(api, turn);
  });
});
