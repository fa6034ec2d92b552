import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@aos/kernel/testing';
import { eventually } from '../harness/index.js';

const root = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'engines-away-'));
const servers: Server[] = [];
const children: ChildProcess[] = [];

mkdirSync(join(folder, 'blobs'));

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

async function listening(answer: (text: string) => string | null): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {
      socket.destroy();
    });
    socket.on('data', (bytes) => {
      const text = answer(bytes.toString('latin1'));
      if (text !== null) socket.write(text);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** A service whose engines are where the settings say; nothing listens on port 1. */
async function service(settings: Record<string, string>) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, 'dist', 'apps', 'access-service', 'src', 'main.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      SVC_PORT: String(port),
      SVC_DATA_DIR: folder,
      SVC_MASTER_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      SVC_LOG_LEVEL: 'warn',
      SVC_EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false',
      SVC_REDIS_URL: 'redis://127.0.0.1:1',
      SVC_KAFKA_BROKERS: '127.0.0.1:1',
      ...settings,
    },
  });
  children.push(child);
  let said = '';
  child.stderr.on('data', (text) => {
    said += String(text);
  });
  return { url: `http://127.0.0.1:${port}`, child, said: () => said };
}

test('a service whose engines are away lives, says which it waits for, and takes no request', async () => {
  const { url, child } = await service({});
  await eventually('it lives', async () => (await fetch(`${url}/healthz`)).status === 200);
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: 'ok', service: 'access-service' });
  await eventually('both engines are named', async () => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, string> };
    return answer.status === 503 && 'event_store' in checks && 'redis' in checks;
  });
  const refused = await fetch(`${url}/v1/roles`, { method: 'POST', body: '{}' });
  expect({ status: refused.status, starting: refused.headers.get('x-svc-starting') }).toEqual({
    status: 503,
    starting: 'true',
  });
  expect(child.exitCode).toBeNull();
});

test('a wrong password ends the start at once, with the name of the setting', async () => {
  const port = await listening((text) =>
    text.toUpperCase().includes('AUTH')
      ? '-WRONGPASS invalid username-password pair\r\n'
      : '-NOAUTH Authentication required.\r\n',
  );
  const { child, said } = await service({ SVC_REDIS_URL: `redis://:not-the-password@127.0.0.1:${port}` });
  await once(child, 'exit');
  expect(child.exitCode).toBe(1);
  expect(said()).toContain('SVC_REDIS_URL: user or password is not let in');
  expect(said()).not.toContain('not-the-password');
});

test('a wrong setting ends the start at once', async () => {
  const { child, said } = await service({ SVC_EVENTSTOREDB_URL: 'esdb://svc:hush@a,b?tsl=true' });
  await once(child, 'exit');
  expect(child.exitCode).toBe(1);
  expect(said()).toContain('SVC_EVENTSTOREDB_URL has an unknown option in place 1');
  expect(said()).not.toContain('hush');
});
