import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  type Artifact,
  Client,
  type FormField,
  callerWith,
  eventually,
  formOf,
  formRefused,
  person,
  sendForm,
  settled,
  unique,
} from '../harness/index.js';
import { calling, forAction, workerAction, type WorkerAction } from '../harness/worker-actions.js';
import { type Job, TestWorker, endWorkers } from '../harness/worker.js';

const api = Client.owner();
afterEach(endWorkers);

const file = (name: string, bytes = 'made by a worker'): FormField[] => [
  ['name', name],
  ['file', Buffer.from(bytes), name],
];
const lease = (token: string, key?: string) => ({
  headers: { 'x-svc-lease-token': token, ...(key !== undefined && { 'idempotency-key': key }) },
});

/** A worker that holds the job of one action. */
async function holding(action: WorkerAction): Promise<{ worker: TestWorker; job: Job }> {
  const worker = await TestWorker.register(api, forAction(action));
  return { worker, job: await worker.claim() };
}

const complete = (worker: TestWorker, job: Job) => worker.report(job, { status: 'completed', result: { done: true } });

describe('files of workers (rule TE5)', () => {
  it('TE5: belong to the session of their job, once for each name', async () => {
    const action = await workerAction();
    const ack = await calling(action);
    const { worker, job } = await holding(action);
    const [name, key] = [unique('report'), unique('key')];
    const first = await sendForm(api, file(name), lease(job.lease_token, key));
    expect([first.status, first.body]).toMatchObject([
      201,
      { name, session_id: ack.session_id, container: { kind: 'agent', id: action.agent.id }, owner: { kind: 'team' } },
    ]);
    const again = await sendForm(api, file(name), lease(job.lease_token, key));
    expect([again.status, again.body]).toEqual([200, first.body]);
    const { id } = first.body as Artifact;
    expect(await formRefused('artifact_conflict', api, file(name), lease(job.lease_token))).toEqual({
      artifact_id: id,
    });
    await formRefused('artifact_conflict', api, file(name), lease(job.lease_token, unique('key')));
    await formRefused('artifact_conflict', api, file(name, 'other'), lease(job.lease_token, key));
    const late: FormField[] = [...file(unique('late'))].reverse();
    expect((await sendForm(api, late, lease(job.lease_token, key))).status).toBe(201);
    await api.delete(`/v1/artifacts/${id}`);
    expect(await formRefused('conflict', api, file(name), lease(job.lease_token, key))).toMatchObject({
      reason: 'deleted',
    });
    await complete(worker, job);
    await settled(api, ack);
  });

  it('TE2, TE5: the name may come after a file of several pieces, which is stored once', async () => {
    const action = await workerAction();
    const ack = await calling(action);
    const { worker, job } = await holding(action);
    const [name, key] = [unique('late'), unique('key')];
    const bytes = randomBytes(9 * 1024 * 1024);
    const late = (sent: Uint8Array): FormField[] => [
      ['file', sent, 'x'],
      ['name', name],
    ];
    const quota = () => api.get<Record<string, number>>('/v1/settings/artifact-storage/quota');
    const first = await sendForm(api, late(bytes), lease(job.lease_token, key));
    expect([first.status, first.body]).toMatchObject([201, { name, size_bytes: bytes.length }]);
    const { id } = first.body as Artifact;
    const content = await fetch(api.url(`/v1/artifacts/${id}/content`), { headers: api.headers({}) });
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    const again = await sendForm(api, late(bytes), lease(job.lease_token, key));
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = randomBytes(9 * 1024 * 1024);
    expect(await formRefused('artifact_conflict', api, late(other), lease(job.lease_token, key))).toEqual({
      artifact_id: id,
    });
    await formRefused('bad_request', api, [['file', bytes, 'x']], lease(job.lease_token, key));
    await eventually('nothing to be reserved', async () => (await quota())['pending_count'] === 0);
    await complete(worker, job);
    await settled(api, ack);
  });

  it('TE5: a lease that is over, of another worker, or none is refused, and nothing is stored', async () => {
    const action = await workerAction();
    const ack = await calling(action);
    const { worker, job } = await holding(action);
    const lost = { reason: 'lease_lost' };
    const { client: other } = await person(api, 'Admin');
    for (const [client, token] of [
      [other, job.lease_token],
      [api, 'lease_nonsense'],
      [api, job.lease_token.replace(/^lease_./, 'lease_~')],
      [api, `${job.lease_token.slice(0, 12)}${'0'.repeat(26)}${job.lease_token.slice(38)}`],
    ] as const)
      expect(await formRefused('conflict', client, file(unique('no')), lease(token))).toMatchObject(lost);
    await complete(worker, job);
    expect(await formRefused('conflict', api, file(unique('no')), lease(job.lease_token))).toMatchObject(lost);
    await settled(api, ack);
    await formRefused('permission_denied', await callerWith(api, 'Viewer'), file('x'), lease(job.lease_token));
  });

  it('TE5: a lease that ends while the file comes is refused too', async () => {
    const action = await workerAction();
    const ack = await calling(action);
    const { worker, job } = await holding(action);
    const { body, type } = formOf(file(unique('slow'), 'x'.repeat(100_000)));
    const sending = request(api.url('/v1/artifacts'), {
      method: 'POST',
      headers: api.headers({
        'content-type': type,
        'content-length': String(body.length),
        ...lease(job.lease_token).headers,
      }),
    });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.write(body.subarray(0, 50_000));
    await complete(worker, job);
    sending.end(body.subarray(50_000));
    const [response] = await answered;
    expect([response.statusCode, await json(response)]).toMatchObject([
      409,
      { error: { code: 'conflict', details: { reason: 'lease_lost' } } },
    ]);
    await settled(api, ack);
  });

  it('TE5: of a direct invocation belong to who invoked', async () => {
    const action = await workerAction();
    const worker = await TestWorker.register(api, forAction(action));
    const invoking = api.post(`/v1/actions/${action.name}/invoke`, { input: {} }, 200);
    const job = await worker.claim();
    const stored = await sendForm(api, file(unique('direct')), lease(job.lease_token));
    expect([stored.status, stored.body]).toMatchObject([
      201,
      { owner: { kind: 'team' }, visibility: 'organization', container: null },
    ]);
    expect(stored.body).not.toHaveProperty('session_id');
    await complete(worker, job);
    await invoking;
  });
});
