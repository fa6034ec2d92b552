import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import { ActionServer, eventually, unique } from '../harness/index.js';

interface Result {
  status: string;
  job_id: string;
  output?: Record<string, unknown>;
  error?: string;
}
interface Entry {
  job_id: string;
  delivery_id: string;
  status: string;
}

let server: ActionServer;
let service: OwnService;
const folder = mkdtempSync(join(tmpdir(), 'aos-invocations-'));
const file = join(folder, 'name');

beforeAll(async () => {
  writeFileSync(file, '');
  server = await ActionServer.start('own');
  service = await OwnService.start({ SVC_EGRESS_ALLOW: `127.0.0.1:${server.port}`, SVC_FAILPOINT: file });
});
afterAll(async () => {
  await service.remove();
  await server.close();
  rmSync(folder, { recursive: true });
});

const send = (name: string, key: string) =>
  service.client.call<Result>('POST', `/v1/actions/${name}/invoke`, {
    body: { input: { sum: 1 } },
    headers: { 'idempotency-key': key },
  });

async function records(name: string): Promise<Entry[]> {
  return (await service.client.get<{ items: Entry[] }>('/v1/action-invocations', { action_name: name })).items;
}

/** One delivery id at the receiver, one record, one answer under the key, whatever fell in between. */
async function holds(name: string, path: string, key: string, sentAtMost: number): Promise<void> {
  const again = await send(name, key);
  expect(again.body).toEqual({ status: 'completed', job_id: again.body.job_id, output: { paid: true } });
  expect((await send(name, key)).body).toEqual(again.body);
  const ids = server.on(path).map(({ headers }) => headers['x-svc-delivery-id']);
  expect(ids.length).toBeLessThanOrEqual(sentAtMost);
  expect(new Set(ids).size).toBe(1);
  const found = await eventually('the record', async () => {
    const items = await records(name);
    return items.length > 0 ? items : null;
  });
  expect(found).toMatchObject([{ job_id: again.body.job_id, delivery_id: ids[0], status: 'success' }]);
}

async function action(answer: Parameters<ActionServer['at']>[1]): Promise<{ name: string; path: string }> {
  const name = unique('pay');
  await service.client.post('/v1/actions', { name, endpoint_url: server.at(`/${name}`, answer) }, 201);
  return { name, path: `/${name}` };
}

it('R24, invariants 23, 24, 26: killed while the endpoint works, it is sent again under its delivery id', async () => {
  const unanswered = new Promise<void>(() => undefined);
  const { name, path } = await action((_request, earlier) =>
    earlier === 0 ? { after: unanswered } : { body: { paid: true } },
  );
  const key = unique('key');
  const first = send(name, key).catch(() => null);
  await eventually('the request', () => Promise.resolve(server.on(path).length === 1));
  await service.end('SIGKILL');
  expect(await first).toBeNull();
  await service.run();
  await eventually('the request again', () => Promise.resolve(server.on(path).length === 2));
  await holds(name, path, key, 2);
});

it.each([
  ['after-append InvocationStarted', 1],
  ['before-invocation', 1],
  ['after-invocation', 2],
  ['before-append InvocationFinished', 2],
  ['after-append InvocationFinished', 1],
])('killed at %s, it is sent at most %i times and finished once', async (failpoint, sentAtMost) => {
  const { name, path } = await action(() => ({ body: { paid: true } }));
  const key = unique('key');
  writeFileSync(file, failpoint);
  await send(name, key).catch(() => null);
  await service.ended();
  writeFileSync(file, '');
  await service.run();
  await holds(name, path, key, sentAtMost);
});

it('killed before anything was recorded, nothing was sent, and the repeat begins it', async () => {
  const { name, path } = await action(() => ({ body: { paid: true } }));
  const key = unique('key');
  writeFileSync(file, 'before-append InvocationStarted');
  await send(name, key).catch(() => null);
  await service.ended();
  writeFileSync(file, '');
  await service.run();
  expect(server.on(path)).toHaveLength(0);
  await holds(name, path, key, 1);
});

it('told to stop, it answers who waits that the work goes on, and the next process finishes it', async () => {
  const unanswered = new Promise<void>(() => undefined);
  const { name, path } = await action((_request, earlier) =>
    earlier === 0 ? { after: unanswered } : { body: { paid: true } },
  );
  const key = unique('key');
  const first = send(name, key);
  await eventually('the request', () => Promise.resolve(server.on(path).length === 1));
  await service.end('SIGTERM');
  expect(await first).toMatchObject({ status: 202, body: { status: 'active' } });
  await service.run();
  await holds(name, path, key, 2);
});
