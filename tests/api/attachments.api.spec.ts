import { randomBytes } from 'node:crypto';
import {
  type Agent,
  type Artifact,
  type Block,
  Client,
  type Page,
  type TurnAck,
  allRows,
  callerWith,
  createAgent,
  createSession,
  eventually,
  formRefused,
  invokeBody,
  person,
  said,
  script,
  sendForm,
  settled,
  startTurn,
  text,
  unique,
} from '../harness/index.js';

interface Attachment {
  artifact: Artifact;
  content_block: Block & { source: { type: string; url: string } };
}
interface Attaching {
  bytes?: Uint8Array | string;
  name?: string;
  mime?: string;
  key?: string;
}

const api = Client.owner();
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('attach'), visibility: 'organization' });
});

const pathOf = (sessionId: string) => `/v1/sessions/${sessionId}/attachments`;
const fieldsOf = ({ bytes = 'hello', name = 'a.txt', mime }: Attaching) => [
  ['file', Buffer.from(bytes), name] as const,
  ...(mime === undefined ? [] : [['mime', mime] as const]),
];
const callOf = (sessionId: string, { key }: Attaching) => ({
  path: pathOf(sessionId),
  ...(key !== undefined && { headers: { 'idempotency-key': key } }),
});
const send = (client: Client, sessionId: string, file: Attaching = {}) =>
  sendForm(client, fieldsOf(file), callOf(sessionId, file));
const refused = (code: string, client: Client, sessionId: string, file: Attaching = {}) =>
  formRefused(code, client, fieldsOf(file), callOf(sessionId, file));

async function attach(client: Client, sessionId: string, file: Attaching = {}): Promise<Attachment> {
  const answer = await send(client, sessionId, file);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body as Attachment;
}

const session = async (client = api) => (await createSession(client, agent.id, { mode: 'new' })).id;
const contentOf = (client: Client, { id }: Artifact) =>
  fetch(client.url(`/v1/artifacts/${id}/content`), { headers: client.headers({}) });
/** What the scripted model answers to a turn with these blocks. */
async function answerTo(client: Client, sessionId: string, blocks: Block[]): Promise<string> {
  await settled(client, await startTurn(client, sessionId, [text('see'), ...blocks]));
  return said((await allRows(client, sessionId)).at(-1));
}

describe('attachments of a session (rules X2, TE8)', () => {
  it('TE8: belong to it: its owner, its audience, its agent, and a block that gives them to the agent', async () => {
    const id = await session();
    const { artifact, content_block: block } = await attach(api, id, {
      bytes: png,
      name: 'dot.png',
      mime: 'text/html',
    });
    expect(artifact).toMatchObject({
      session_id: id,
      container: { kind: 'agent', id: agent.id },
      owner: { kind: 'team' },
      visibility: 'organization',
      name: 'dot.png',
      mime_type: 'image/png',
    });
    expect(block).toEqual({
      type: 'image',
      source: {
        type: 'url',
        url: expect.stringMatching(new RegExp(`^https?://.+/v1/artifacts/${artifact.id}/content$`)) as string,
      },
    });
    const response = await contentOf(api, artifact);
    expect(Buffer.from(await response.arrayBuffer()).equals(png)).toBe(true);
    const listed = await api.get<Page<Artifact>>('/v1/artifacts', { limit: 100, mime: 'image/png' });
    expect(listed.items.map((item) => item.id)).toContain(artifact.id);
    const page = await attach(api, id, { bytes: '<svg/>', name: 'p.png', mime: 'image/png' });
    expect([page.artifact.mime_type, page.content_block.type, page.content_block['title']]).toEqual([
      'application/octet-stream',
      'document',
      'p.png',
    ]);
    expect((await attach(api, id, { mime: 'text/markdown' })).artifact.mime_type).toBe('text/markdown');
    const own = await api.get<Page<Artifact>>('/v1/artifacts', { session_id: id });
    expect(own.items.map(({ name }) => name)).toEqual(['dot.png', 'p.png', 'a.txt']);
  });

  it('TE8: are seen by who sees the session, made and deleted by who may send input there', async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const hers = await session(ann.client);
    const { artifact } = await attach(ann.client, hers);
    expect(artifact).toMatchObject({ visibility: 'private', owner: { kind: 'person', id: ann.id } });
    const other = bob.client;
    await refused('not_found', other, hers);
    await other.refused('not_found', 'GET', `/v1/artifacts/${artifact.id}`);
    await other.refused('not_found', 'DELETE', `${pathOf(hers)}/${artifact.id}`);
    expect((await contentOf(other, artifact)).status).toBe(404);
    expect((await other.get<Page<Artifact>>('/v1/artifacts', { limit: 100 })).items).not.toContainEqual(artifact);
    expect(await api.get(`/v1/artifacts/${artifact.id}`)).toMatchObject({ posture: 'someone_else' });
    const ours = await session();
    const shared = await attach(api, ours);
    const viewer = await callerWith(api, 'Viewer');
    expect(await viewer.get(`/v1/artifacts/${shared.artifact.id}`)).toMatchObject({ session_id: ours });
    await refused('permission_denied', viewer, ours);
    await viewer.refused('permission_denied', 'DELETE', `${pathOf(ours)}/${shared.artifact.id}`);
    await bob.client.refused('not_found', 'DELETE', `${pathOf(await session())}/${shared.artifact.id}`);
    await bob.client.delete(`${pathOf(ours)}/${shared.artifact.id}`);
    await bob.client.refused('not_found', 'DELETE', `${pathOf(ours)}/${shared.artifact.id}`);
    expect((await contentOf(api, shared.artifact)).status).toBe(404);
    await refused('not_found', api, 'ses_00000000000000000000000000');
  });

  it('TE8: are not deleted as artifacts by who may build and may send no input', async () => {
    const { artifact } = await attach(api, await session());
    const permissions = ['svc.resource.build'];
    const role = await api.post<{ id: string }>('/v1/roles', { name: unique('builder'), permissions }, 201);
    const builder = await api.post<{ id: string }>('/v1/principals', { name: unique('b'), role_ids: [role.id] }, 201);
    const issued = await api.post<{ key: string }>(
      '/v1/api-keys',
      { name: unique('key'), principal_id: builder.id },
      201,
    );
    const details = await api.as(issued.key).refused('permission_denied', 'DELETE', `/v1/artifacts/${artifact.id}`);
    expect(details).toEqual({ permission: 'svc.resource.use' });
    expect(await (await contentOf(api, artifact)).text()).toBe('hello');
  });

  it('TE8: are deleted at any time, also when no input goes to the session any more', async () => {
    const gone = await createAgent(api, { name: unique('gone'), visibility: 'organization' });
    const { id } = await createSession(api, gone.id, { mode: 'new' });
    const { artifact } = await attach(api, id);
    await api.delete(`/v1/agents/${gone.id}`);
    await refused('not_found', api, id);
    await api.delete(`${pathOf(id)}/${artifact.id}`);
    expect((await contentOf(api, artifact)).status).toBe(404);
  });

  it('TE8: are deleted as artifacts too, also when no input goes to the session any more', async () => {
    const gone = await createAgent(api, { name: unique('gone'), visibility: 'organization' });
    const { artifact } = await attach(api, (await createSession(api, gone.id, { mode: 'new' })).id);
    await api.delete(`/v1/agents/${gone.id}`);
    await api.delete(`/v1/artifacts/${artifact.id}`);
    expect((await contentOf(api, artifact)).status).toBe(404);
  });

  it('TE5: a key counts for one session', async () => {
    const [one, two, key] = [await session(), await session(), unique('key')];
    const first = await send(api, one, { key });
    const again = await send(api, one, { key });
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    const other = await send(api, two, { key });
    expect([other.status, (other.body as Attachment).artifact.session_id]).toEqual([201, two]);
    await refused('idempotency_conflict', api, one, { key, bytes: 'other' });
    await api.delete(`${pathOf(one)}/${(first.body as Attachment).artifact.id}`);
    expect(await refused('conflict', api, one, { key })).toMatchObject({ reason: 'deleted' });
  });

  it('TE8: go with the session when it is deleted, with their bytes', async () => {
    const owner = (await person(api, 'Owner')).client;
    const used = async () =>
      (await owner.get<{ used_bytes: number }>('/v1/settings/artifact-storage/quota')).used_bytes;
    const id = await session(owner);
    const { artifact } = await attach(owner, id, { bytes: randomBytes(1_000_003) });
    const before = await used();
    await owner.delete(`/v1/sessions/${id}`);
    expect((await contentOf(owner, artifact)).status).toBe(404);
    await owner.refused('not_found', 'GET', `/v1/artifacts/${artifact.id}`);
    await refused('not_found', owner, id);
    await eventually('its bytes to be free', async () => (await used()) <= before - 1_000_003);
  });
});

describe('files of agents (rule TE9)', () => {
  const grants = { action_selectors: [{ selector_type: 'group', selector: 'svc.artifact' }] };
  /** Plays calls in a session; gives the results. */
  async function played(sessionId: string, ...calls: [name: string, input: object][]) {
    const steps = calls.map(([name, input]) => ({ call: { name: `svc_artifact_${name}`, input } }));
    await settled(api, await startTurn(api, sessionId, script(...steps, { say: 'done' })));
    const rows = await allRows(api, sessionId);
    return rows
      .flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'))
      .slice(-calls.length)
      .map((result) => ({ isError: result['is_error'] === true, text: JSON.stringify(result['content']) }));
  }
  const jsonOf = ({ text: shown }: { text: string }) =>
    JSON.parse(JSON.parse(shown) as string) as Record<string, unknown>;

  it('TE9: save and read files of their session, text and bytes, a part at a time', async () => {
    const worker = await createAgent(api, { name: unique('saver'), ...grants });
    const { id } = await createSession(api, worker.id, { mode: 'new' });
    const noText = Buffer.from([0xff, 0xfe]);
    const bytes = Buffer.concat([noText, randomBytes(48), noText]);
    const words = 'héllo wörld';
    const saves = await played(
      id,
      ['save', { name: 'notes.txt', mime: 'text/plain', text: words }],
      ['save', { name: 'raw.bin', base64: bytes.toString('base64') }],
      ['save', { name: 'a/b', text: 'x' }],
      ['save', { name: 'both', text: 'x', base64: 'eA==' }],
      ['save', { name: 'neither' }],
    );
    expect(saves.map(({ isError }) => isError)).toEqual([false, false, true, true, true]);
    const [notes, raw] = saves.slice(0, 2).map((save) => jsonOf(save)['artifact'] as Artifact);
    if (!notes || !raw) throw new Error('nothing was saved');
    expect(notes).toMatchObject({
      session_id: id,
      name: 'notes.txt',
      mime_type: 'text/plain',
      owner: { kind: 'team' },
    });
    expect(await (await contentOf(api, notes)).text()).toBe(words);
    expect(Buffer.from(await (await contentOf(api, raw)).arrayBuffer()).equals(bytes)).toBe(true);
    const other = await attach(api, await session());
    const reads = await played(
      id,
      ['read', { artifact_id: notes.id }],
      ['read', { artifact_id: notes.id, length: 2 }],
      ['read', { artifact_id: notes.id, offset: 1, length: 3 }],
      ['read', { artifact_id: raw.id, offset: 50 }],
      ['read', { artifact_id: notes.id, offset: 13 }],
      ['read', { artifact_id: notes.id, offset: 14 }],
      ['read', { artifact_id: other.artifact.id }],
    );
    const shown = reads.slice(0, 5).map(jsonOf);
    expect(shown).toMatchObject([
      { text: words, offset: 0, length: 13, artifact: { id: notes.id, size_bytes: 13 } },
      { text: 'h', length: 1, next_offset: 1 },
      { text: 'él', offset: 1, length: 3, next_offset: 4 },
      { base64: noText.toString('base64'), length: 2 },
      { text: '', length: 0 },
    ]);
    expect(shown[0]).not.toHaveProperty('next_offset');
    expect(reads.slice(5).map(({ isError }) => isError)).toEqual([true, true]);
    expect(reads[6]?.text).toContain('not_found');
  });
});

describe('files in what a caller sends (rule TE8)', () => {
  it('TE8: the block can be sent back, and is stored as it was sent', async () => {
    const id = await session();
    const { content_block: block } = await attach(api, id, { bytes: png, name: 'dot.png' });
    expect(await answerTo(api, id, [block])).toBe('You said: see');
    expect((await allRows(api, id))[0]?.content[1]).toEqual(block);
    const row = { role: 'user', content: [text('before'), block] };
    await api.post(`/v1/sessions/${id}/messages`, { messages: [row] });
    expect((await allRows(api, id)).at(-1)?.content).toEqual(row.content);
  });

  it('TE8: a file that the caller does not see is refused in turn, invoke and rows brought in, and nothing is written', async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const hers = await attach(ann.client, await session(ann.client));
    const there = await session();
    const { url } = hers.content_block.source;
    const unknown = url.replace(/art_[0-9a-z]+/, 'art_00000000000000000000000000');
    const message = [text('see'), { type: 'document', source: { type: 'url', url } }];
    for (const content of [message, [{ type: 'image', source: { type: 'url', url: unknown } }]])
      for (const [path, body] of [
        [`/v1/sessions/${there}/turns`, { input: { content } }],
        ['/v1/agents/invoke', { ...invokeBody(agent.id, 'x'), input: { content } }],
        [`/v1/sessions/${there}/messages`, { messages: [{ role: 'user', content }] }],
      ] as const)
        expect(await bob.client.refused('invalid_argument', 'POST', path, { body })).toEqual({
          argument: 'source.url',
        });
    expect(await allRows(api, there)).toEqual([]);
    const own = await session(ann.client);
    expect(await answerTo(ann.client, own, [hers.content_block])).toContain('You said: see');
  });

  it('TE8: once a file was deleted, a repeat of its input is answered as before, and a new one is refused', async () => {
    const id = await session();
    const { artifact, content_block: block } = await attach(api, id, { bytes: png, name: 'dot.png' });
    const key = unique('turn');
    const ack = await startTurn(api, id, [text('see'), block], key);
    await settled(api, ack);
    await api.delete(`${pathOf(id)}/${artifact.id}`);
    const repeated = await api.post<TurnAck>(
      `/v1/sessions/${id}/turns`,
      { input: { content: [text('see'), block], idempotency_key: key } },
      202,
    );
    expect(repeated).toMatchObject({ turn_id: ack.turn_id, deduped: true });
    expect(
      await api.refused('invalid_argument', 'POST', `/v1/sessions/${id}/turns`, {
        body: { input: { content: [block] } },
      }),
    ).toMatchObject({ argument: 'source.url' });
  });
});
