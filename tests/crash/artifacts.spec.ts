import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { OwnService } from '../harness/embedded.js';
import {
  type Answer,
  type Artifact,
  type Client,
  type FormField,
  createAgent,
  createSession,
  eventually,
  formOf,
  formRefused,
  sendForm,
  unique,
  upload,
} from '../harness/index.js';
import { storedBytes } from './conversion-kills.js';

const mib = 1024 * 1024;
const limit = 10 * mib;
const quota = 20 * mib;
const settings: Record<string, string> = {
  SVC_ARTIFACT_BYTES_MAX: String(limit),
  SVC_ARTIFACT_QUOTA_BYTES: String(quota),
};
let service: OwnService;
let api: Client;

beforeAll(async () => {
  service = await OwnService.start(settings);
  api = service.client;
});
afterAll(() => service.remove());

const stored = () => storedBytes(service.folder);
const view = () =>
  api.get<{ used_bytes: number; pending_count: number; artifact_count: number }>('/v1/settings/artifact-storage/quota');
const form = (bytes: number): FormField[] => [
  ['name', unique('file')],
  ['file', randomBytes(bytes), 'f'],
];

/** Sends the beginning of a form; gives what breaks it off. */
async function begun(bytes: number, key?: string): Promise<() => void> {
  const { body, type } = formOf(form(bytes));
  const url = new URL(`${api.baseUrl}/v1/artifacts`);
  const sending = request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.key ?? ''}`,
      'content-type': type,
      'content-length': body.length,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  });
  sending.on('error', () => undefined);
  sending.write(body.subarray(0, body.length - 100));
  return () => sending.destroy();
}

describe('the bounds of files (rules TE2, TE4)', () => {
  it('TE2: a file over its bound is 413, with a length and without, and nothing is left of it', async () => {
    const before = stored();
    expect(await formRefused('payload_too_large', api, form(limit + 1))).toEqual({ limit_bytes: limit });
    const { body, type } = formOf(form(limit + 1));
    const answer = await fetch(api.url('/v1/artifacts'), {
      method: 'POST',
      headers: api.headers({ 'content-type': type }),
      body: new Blob([new Uint8Array(body)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(413);
    await eventually('the pieces to be gone', async () => stored() === before);
    expect(await view()).toMatchObject({ pending_count: 0 });
  });

  it('TE4: uploads that race never take more than the quota', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => sendForm(api, form(3 * mib))));
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body as Artifact);
    const refused = answers.filter(({ status }) => status === 403);
    expect([made.length + refused.length, made.length > 0, made.length <= 6]).toEqual([12, true, true]);
    for (const { body } of refused as Answer<{ error: { details: Record<string, unknown> } }>[])
      expect(body.error.details).toMatchObject({ limit: 'artifact_storage', limit_bytes: quota });
    expect(await view()).toMatchObject({ used_bytes: made.length * 3 * mib, pending_count: 0 });
    for (const { id } of made) await api.delete(`/v1/artifacts/${id}`);
    await eventually('the bytes to be free', async () => (await view()).used_bytes === 0);
    await eventually('the pieces to be gone', async () => stored() === 0);
  });
});

describe('uploads that break off (rule TE3)', () => {
  it('TE3: a sender that leaves leaves nothing', async () => {
    const before = stored();
    const leave = await begun(9 * mib);
    await eventually('pieces to be there', async () => stored() >= before + 4 * mib);
    leave();
    await eventually('the pieces to be gone', async () => stored() === before);
    await eventually('its bytes to be free', async () => (await view()).pending_count === 0);
  });

  it('TE3, TE5: after kill -9 in the middle the same key makes the file, and what was deleted is cleaned up', async () => {
    const key = unique('key');
    const kept = await upload(api, randomBytes(mib));
    const before = stored();
    await begun(9 * mib, key);
    await eventually('pieces to be there', async () => stored() >= before + 4 * mib);
    await service.end('SIGKILL');
    await service.run();
    expect(await view()).toMatchObject({ pending_count: 1, artifact_count: 1 });
    const again = await sendForm(api, form(1000), { headers: { 'idempotency-key': key } });
    expect(again.status).toBe(201);
    await api.delete(`/v1/artifacts/${kept.id}`);
    await service.end('SIGKILL');
    await service.run();
    await eventually('the bytes of the deleted one to be free', async () => (await view()).artifact_count === 1);
    expect(await view()).toMatchObject({ used_bytes: 1000 });
  });
});

describe('files of sessions that ended (rule TE8)', () => {
  it('TE8: kill -9 right after a session was deleted leaves none of its files', async () => {
    const agent = await createAgent(api);
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const before = await view();
    const bytesBefore = stored();
    const path = `/v1/sessions/${id}/attachments`;
    for (let n = 0; n < 5; n += 1) expect((await sendForm(api, form(200_000), { path })).status).toBe(201);
    expect(await view()).toMatchObject({ artifact_count: (before.artifact_count ?? 0) + 5 });
    await api.delete(`/v1/sessions/${id}`);
    await service.end('SIGKILL');
    await service.run();
    await eventually('the files to be gone', async () => (await view()).artifact_count === before.artifact_count);
    expect(await view()).toMatchObject({ used_bytes: before.used_bytes, pending_count: before.pending_count });
    await eventually('the pieces to be gone', async () => stored() === bytesBefore);
  });
});

describe('beside the release before (rule TE1)', () => {
  it('TE1: files are neither made nor deleted, and are read', async () => {
    const agent = await createAgent(api);
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const path = `/v1/sessions/${id}/attachments`;
    const { artifact } = (await sendForm(api, form(10), { path })).body as { artifact: Artifact };
    const own = await upload(api, randomBytes(10));
    const before = await view();
    settings['SVC_WRITES'] = 'previous';
    await service.end('SIGKILL');
    await service.run();
    const pending = { feature: 'artifacts' };
    for (const at of ['/v1/artifacts', path])
      expect(await formRefused('upgrade_pending', api, form(10), { path: at })).toEqual(pending);
    for (const at of [`/v1/artifacts/${own.id}`, `${path}/${artifact.id}`])
      expect(await api.refused('upgrade_pending', 'DELETE', at)).toEqual(pending);
    expect(await api.get(`/v1/artifacts/${artifact.id}`)).toEqual(artifact);
    delete settings['SVC_WRITES'];
    await service.end('SIGKILL');
    await service.run();
    expect(await view()).toMatchObject({ artifact_count: before.artifact_count, used_bytes: before.used_bytes });
    await api.delete(`${path}/${artifact.id}`);
  });
});
