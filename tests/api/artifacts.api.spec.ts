import { createHash, randomBytes } from 'node:crypto';
import {
  type Artifact,
  type Page,
  Client,
  anotherOwner,
  createAgent,
  createSession,
  eventually,
  formOf,
  formRefused,
  person,
  rawRequest,
  sendForm,
  unique,
  upload,
} from '../harness/index.js';

const api = Client.owner();
const mib = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const contentOf = (client: Client, id: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(client.url(`/v1/artifacts/${id}/content`), {
    method,
    headers: { authorization: `Bearer ${client.key ?? ''}`, ...headers },
  });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('artifacts (rules X1, TE2, TE3, TE6)', () => {
  it('X1: a file is stored, read, listed and deleted', async () => {
    const bytes = randomBytes(100_000);
    const made = await upload(api, bytes, { name: 'a report.pdf' });
    expect(made).toMatchObject({
      name: 'a report.pdf',
      size_bytes: bytes.length,
      sha256: sha256(bytes),
      container: null,
      mime_type: 'application/octet-stream',
    });
    expect(await api.get(`/v1/artifacts/${made.id}`)).toEqual(made);
    expect((await bytesOf(await contentOf(api, made.id))).equals(bytes)).toBe(true);
    await api.delete(`/v1/artifacts/${made.id}`);
    expect((await contentOf(api, made.id)).status).toBe(404);
    await api.refused('not_found', 'GET', `/v1/artifacts/${made.id}`);
    await api.refused('not_found', 'DELETE', `/v1/artifacts/${made.id}`);
  });

  it('TE2: fields come in any order, those after the file too', async () => {
    const metadata = { project: 'x', nested: { deep: [1, 2] } };
    const fields = [
      ['metadata', JSON.stringify(metadata)],
      ['file', Buffer.from('hello'), 'ignored.txt'],
      ['size_bytes', '5'],
      ['mime', 'text/plain'],
      ['visibility', 'organization'],
      ['owner', JSON.stringify({ kind: 'team' })],
      ['name', 'hello.txt'],
    ] as const;
    for (const order of [fields, [...fields].reverse()]) {
      const answer = await sendForm(api, order);
      expect([answer.status, answer.body]).toMatchObject([
        201,
        { name: 'hello.txt', mime_type: 'text/plain', size_bytes: 5, metadata, owner: { kind: 'team' } },
      ]);
    }
  });

  it('TE2: a file of several pieces, and an empty one, come back as they were', async () => {
    for (const size of [0, 1, 4 * mib, 4 * mib + 1, 9 * mib + 17]) {
      const bytes = randomBytes(size);
      const made = await upload(api, bytes);
      expect([made.size_bytes, made.sha256]).toEqual([size, sha256(bytes)]);
      expect((await bytesOf(await contentOf(api, made.id))).equals(bytes)).toBe(true);
      await api.delete(`/v1/artifacts/${made.id}`);
    }
  });

  it('TE2: what is out of its form is 400, what is too large 413, and nothing is left of it', async () => {
    const owner = anotherOwner(unique('Refused'));
    const used = () => owner.get<Record<string, number>>('/v1/settings/artifact-storage/quota');
    const before = await used();
    const file = ['file', Buffer.from('hello'), 'f'] as const;
    const name = ['name', 'f'] as const;
    for (const bad of [
      [file],
      [name],
      [['name', 'a/b'], file],
      [['name', 'a\\b'], file],
      [['name', 'a\u0001b'], file],
      [['name', 'n'.repeat(257)], file],
      [name, ['size_bytes', '6'], file],
      [name, ['size_bytes', 'five'], file],
      [name, ['mime', 'nothing'], file],
      [name, ['metadata', '[1]'], file],
      [name, ['metadata', '{"a":1e400}'], file],
      [name, ['metadata', '{"a":{"__proto__":{}}}'], file],
      [name, ['metadata', JSON.stringify({ a: 'x'.repeat(64 * 1024) })], file],
      [name, ['owner', '{"kind":"nobody"}'], file],
      [name, ['visibility', 'restricted'], file],
      [name, ['convert', 'maybe'], file],
      [name, name, file],
      [name, file, file],
    ] as const)
      await formRefused('bad_request', owner, bad);
    const { principal } = await owner.get<{ principal: { id: string } }>('/v1/me');
    for (const stranger of ['user_unknown', (await createAgent(owner)).id, (await person(api)).id, principal.id])
      expect(
        await formRefused('invalid_argument', owner, [name, file, ['owner', `{"kind":"person","id":"${stranger}"}`]]),
      ).toEqual({ argument: 'owner', reason: 'unknown_person' });
    expect(await formRefused('payload_too_large', owner, [['note', 'x'.repeat(129 * 1024)], name, file])).toEqual({
      limit_bytes: 128 * 1024,
    });
    const answer = await rawRequest(owner, 'POST', '/v1/artifacts', {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: 'not a form',
    });
    expect(answer.status).toBe(400);
    await owner.refused('unsupported_media_type', 'POST', '/v1/artifacts', { body: {}, invalid: true });
    await eventually('nothing is reserved', async () => {
      const now = await used();
      return now['used_bytes'] === before['used_bytes'] && now['artifact_count'] === before['artifact_count'];
    });
  });

  it('TE2, A30: a file of a person is private, one of software the organization’s', async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const hers = await upload(ann.client, 'hers');
    expect(hers).toMatchObject({ visibility: 'private', owner: { kind: 'person', id: ann.id }, posture: 'only_you' });
    for (const other of [bob.client, api]) {
      await other.refused('not_found', 'GET', `/v1/artifacts/${hers.id}`);
      await other.refused('not_found', 'DELETE', `/v1/artifacts/${hers.id}`);
      expect((await contentOf(other, hers.id)).status).toBe(404);
    }
    const shared = await sendForm(ann.client, [
      ['name', 's'],
      ['visibility', 'organization'],
      ['file', Buffer.from('s'), 's'],
    ]);
    const { id } = shared.body as Artifact;
    expect(await bob.client.get(`/v1/artifacts/${id}`)).toMatchObject({ posture: 'someone_else' });
    await bob.client.refused('permission_denied', 'DELETE', `/v1/artifacts/${id}`);
    expect(await upload(api, 'ours')).toMatchObject({ visibility: 'organization' });
    const stranger = anotherOwner(unique('Other'));
    await stranger.refused('not_found', 'GET', `/v1/artifacts/${id}`);
    expect((await stranger.get<Page<Artifact>>('/v1/artifacts')).items).toEqual([]);
  });

  it('X1: the list of a session has its files only', async () => {
    const owner = anotherOwner(unique('Filed'));
    await upload(owner, 'of no session');
    const session = await createSession(owner, (await createAgent(owner)).id);
    expect((await owner.get<Page<Artifact>>('/v1/artifacts')).items).toHaveLength(1);
    expect((await owner.get<Page<Artifact>>('/v1/artifacts', { session_id: session.id })).items).toEqual([]);
    const path = `/v1/sessions/${session.id}/attachments`;
    await sendForm(owner, [['file', Buffer.from('of it'), 'attached.txt']], { path });
    const named = async (query: Record<string, string>) =>
      (await owner.get<Page<Artifact>>('/v1/artifacts', query)).items.map(({ name }) => name);
    expect(await named({ session_id: session.id })).toEqual(['attached.txt']);
    expect(await named({ session_id: session.id, mime: 'image/' })).toEqual([]);
    expect(await named({})).toHaveLength(2);
  });

  it('X1: the list is by age, of what the caller sees, by the beginning of a media type', async () => {
    const owner = anotherOwner(unique('Listing'));
    const ann = await person(owner);
    const type = async (client: Client, name: string, mime: string) =>
      (
        await sendForm(client, [
          ['name', name],
          ['mime', mime],
          ['file', Buffer.from(name), name],
        ])
      ).body as Artifact;
    await type(owner, 'one', 'text/plain');
    await type(ann.client, 'hers', 'text/plain');
    await type(owner, 'two', 'Text/CSV');
    await type(owner, 'three', 'image/png');
    const names = async (client: Client, query: Record<string, string> = {}) =>
      (await client.get<Page<Artifact>>('/v1/artifacts', query)).items.map(({ name }) => name);
    expect(await names(owner)).toEqual(['one', 'two', 'three']);
    expect(await names(ann.client)).toEqual(['one', 'hers', 'two', 'three']);
    expect(await names(owner, { mime: 'text/' })).toEqual(['one', 'two']);
    expect(await names(owner, { mime: 'ext' })).toEqual([]);
    const first = await owner.get<Page<Artifact>>('/v1/artifacts', { limit: 2 });
    const rest = await owner.get<Page<Artifact>>('/v1/artifacts', { limit: 2, cursor: first.next_cursor ?? '' });
    expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  });
});

describe('the bytes of an artifact (rule TE6)', () => {
  it('TE6: come as an attachment that no page of ours runs', async () => {
    const made = await upload(api, '<script>1</script>', { name: 'eine Prüfung "1".html' });
    const response = await contentOf(api, made.id);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="eine Pr_fung _1_.html"; filename*=UTF-8''eine%20Pr%C3%BCfung%20%221%22.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'content-length': '18',
      etag: `"${made.sha256}"`,
    });
    const head = await contentOf(api, made.id, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '18', '']);
  });

  it('TE6: one range of them is 206, several are the whole, none that fits is 416 without a body', async () => {
    const bytes = randomBytes(5 * mib);
    const made = await upload(api, bytes);
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 9],
      ['bytes=4194300-4194310', 4_194_300, 4_194_310],
      ['bytes=5242870-', 5_242_870, 5_242_879],
      ['bytes=-5', 5_242_875, 5_242_879],
      ['Bytes=0-0', 0, 0],
      ['bytes=10-99999999', 10, 5_242_879],
      [`bytes=10-${'9'.repeat(30)}`, 10, 5_242_879],
    ] as const) {
      const response = await contentOf(api, made.id, { range });
      expect([response.status, response.headers.get('content-range')]).toEqual([206, `bytes ${from}-${to}/5242880`]);
      expect((await bytesOf(response)).equals(bytes.subarray(from, to + 1))).toBe(true);
    }
    for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-3', 'bytes=-']) {
      const response = await contentOf(api, made.id, { range });
      expect([range, response.status, (await bytesOf(response)).length]).toEqual([range, 200, 5_242_880]);
    }
    for (const range of ['bytes=5242880-', `bytes=1${'0'.repeat(30)}-`]) {
      const none = await contentOf(api, made.id, { range });
      expect([none.status, none.headers.get('content-range'), await none.text()]).toEqual([416, 'bytes */5242880', '']);
    }
    const changed = await contentOf(api, made.id, { range: 'bytes=0-1', 'if-range': '"another"' });
    expect(changed.status).toBe(200);
    await changed.arrayBuffer();
  });
});

describe('the quota of artifacts (rule TE4)', () => {
  it('TE4: counts what is settled, once', async () => {
    const owner = anotherOwner(unique('Counting'));
    const view = () => owner.get<Record<string, number>>('/v1/settings/artifact-storage/quota');
    expect(await view()).toMatchObject({ used_bytes: 0, artifact_count: 0, pending_count: 0 });
    const made = await upload(owner, randomBytes(1000));
    await upload(owner, randomBytes(500));
    expect(await view()).toMatchObject({ used_bytes: 1500, artifact_count: 2, pending_count: 0 });
    await owner.delete(`/v1/artifacts/${made.id}`);
    await eventually('the bytes are free', async () => (await view()).used_bytes === 500);
    expect(await view()).toMatchObject({ artifact_count: 1, pending_count: 0 });
  });

  it('TE4: a form that turns out to be faulty while its file takes room gives the room back', async () => {
    const owner = anotherOwner(unique('Faulty'));
    const fields = [
      ['name', 'f'],
      ['file', Buffer.from('x'), 'f'],
    ] as const;
    for (const more of [
      ['name', 'g'],
      ['file', Buffer.from('y'), 'g'],
    ] as const)
      await formRefused('bad_request', owner, [...fields, more]);
    const view = await owner.get('/v1/settings/artifact-storage/quota');
    expect(view).toMatchObject({ used_bytes: 0, artifact_count: 0, pending_count: 0 });
  });
});

describe('keys of uploads (rule TE5)', () => {
  const keyed = (client: Client, key: string, bytes: Uint8Array, name = 'k') =>
    sendForm(
      client,
      [
        ['name', name],
        ['file', bytes, name],
      ],
      { headers: { 'idempotency-key': key } },
    );

  it('TE5: a repeat is answered with the first record, other content is refused', async () => {
    const key = unique('key');
    const bytes = randomBytes(5 * mib);
    const first = await keyed(api, key, bytes);
    const again = await keyed(api, key, bytes);
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    expect((await keyed(api, key, randomBytes(10))).text).toContain('idempotency_conflict');
    expect((await keyed(api, key, bytes, 'other')).text).toContain('idempotency_conflict');
    const { client: other } = await person(api);
    expect((await keyed(other, key, randomBytes(10))).status).toBe(201);
    await formRefused('bad_request', api, [['name', 'n']], { headers: { 'idempotency-key': 'k'.repeat(256) } });
  });

  it('TE5: of uploads that race under one key exactly one is 201', async () => {
    const key = unique('race');
    const bytes = randomBytes(200_000);
    const answers = await Promise.all(Array.from({ length: 6 }, () => keyed(api, key, bytes)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => (body as Artifact).id)).size).toBe(1);
    const { id } = answers[0]?.body as Artifact;
    expect((await bytesOf(await contentOf(api, id))).equals(bytes)).toBe(true);
  });

  it('TE5: the key of a deleted artifact makes no other one', async () => {
    const key = unique('gone');
    const made = (await keyed(api, key, Buffer.from('x'))).body as Artifact;
    await api.delete(`/v1/artifacts/${made.id}`);
    expect(
      await formRefused(
        'conflict',
        api,
        [
          ['name', 'k'],
          ['file', Buffer.from('x'), 'k'],
        ],
        { headers: { 'idempotency-key': key } },
      ),
    ).toMatchObject({ reason: 'deleted' });
  });
});

describe('bodies of uploads', () => {
  it('TE2: without a length they are taken too', async () => {
    const { body, type } = formOf([
      ['name', 'chunked'],
      ['file', randomBytes(300_000), 'c'],
    ]);
    const answer = await fetch(api.url('/v1/artifacts'), {
      method: 'POST',
      headers: api.headers({ 'content-type': type }),
      body: new Blob([new Uint8Array(body)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect([answer.status, await answer.json()]).toMatchObject([201, { size_bytes: 300_000 }]);
  });
});

describe('signed URLs (rule TE7)', () => {
  const signed = async (client: Client, id: string, query = '') => {
    const { url } = await client.post<{ url: string }>(`/v1/artifacts/${id}/signed-url${query}`, undefined, 200);
    return new URL(url).pathname;
  };
  const open = (path: string, headers: Record<string, string> = {}) => fetch(api.baseUrl + path, { headers });

  it('TE7: opens the bytes without a key, as the content does', async () => {
    const made = await upload(api, 'signed bytes', { name: 's.txt' });
    const path = await signed(api, made.id);
    const response = await open(path);
    expect([response.status, await response.text()]).toEqual([200, 'signed bytes']);
    expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    const part = await open(path, { range: 'bytes=7-11' });
    expect([part.status, await part.text()]).toEqual([206, 'bytes']);
    await api.delete(`/v1/artifacts/${made.id}`);
    expect((await open(path)).status).toBe(404);
  });

  it('TE7: is no more than the key that made it', async () => {
    const ann = await person(api);
    const hers = await upload(ann.client, 'hers');
    await api.refused('not_found', 'POST', `/v1/artifacts/${hers.id}/signed-url`);
    const other = await api.post<{ id: string; key: string }>(
      '/v1/api-keys',
      { name: unique('key'), principal_id: ann.id },
      201,
    );
    const path = await signed(api.as(other.key), hers.id);
    expect((await open(path)).status).toBe(200);
    await api.delete(`/v1/api-keys/${other.id}`);
    expect((await open(path)).status).toBe(404);
    expect((await open(await signed(ann.client, hers.id))).status).toBe(200);
  });

  it('TE7: ends', async () => {
    const made = await upload(api, 'short');
    const path = await signed(api, made.id, '?ttl_seconds=1');
    await eventually('the URL to have ended', async () => (await open(path)).status === 404);
    expect(
      await api.refused('invalid_argument', 'POST', `/v1/artifacts/${made.id}/signed-url`, {
        query: { ttl_seconds: 3601 },
      }),
    ).toEqual({ argument: 'ttl_seconds' });
    await api.refused('bad_request', 'POST', `/v1/artifacts/${made.id}/signed-url`, {
      query: { ttl_seconds: 0 },
      invalid: true,
    });
    expect((await open(`${path.slice(0, -4)}AAAA`)).status).toBe(404);
  });
});
