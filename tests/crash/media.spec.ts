import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import type { JsonObject } from '@aos/kernel';
import { FakeProvider, sse } from '../../libs/adapters/models/src/testing/fake-provider.js';
import { OwnService } from '../harness/embedded.js';
import {
  type Artifact,
  type Block,
  createAgent,
  createSession,
  eventually,
  sendForm,
  settled,
  startTurn,
  text,
} from '../harness/index.js';

const models = join(tmpdir(), `aos-media-models-${randomBytes(6).toString('hex')}.json`);
const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), randomBytes(100_000)]);
const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(500)]);
const office = 'application/vnd.openxmlformats-officedocument.';
const wordType = `${office}wordprocessingml.document`;
const word = (xml: string | Uint8Array): Buffer =>
  Buffer.from(zipSync({ 'word/document.xml': typeof xml === 'string' ? strToU8(xml) : xml }));
const letter = word('<w:p xmlns:w="w"><w:r><w:t>Dear reader, the tea is cold.</w:t></w:r></w:p>');
const asked: string[] = [];
let web: Server;
let provider: FakeProvider;
let service: OwnService;

const pages: Record<string, (response: ServerResponse) => void> = {
  '/picture': (response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  },
  '/mislabelled': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(png);
  },
  '/plan': (response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
  },
  '/page': (response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end('<html>no picture</html>');
  },
  '/letter': (response) => {
    response.writeHead(200, { 'content-type': wordType }).end(letter);
  },
  '/news': (response) => {
    const page =
      '<html><script>var hidden = 1;</script><h1>News</h1><p>The kettle boils.</p><img src="/picture"></html>';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  },
  '/list': (response) => {
    response.writeHead(200, { 'content-type': 'text/csv; charset="latin1"' }).end(Buffer.from('Käse;Öl', 'latin1'));
  },
  '/elsewhere': (response) => {
    response.writeHead(302, { location: '/picture' }).end();
  },
  '/huge': (response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.concat([png, Buffer.alloc(11 * 1024 * 1024)]));
  },
};

beforeAll(async () => {
  web = createServer((request, response) => {
    asked.push(request.url ?? '');
    (
      pages[request.url ?? ''] ??
      ((missing) => {
        missing.writeHead(404).end();
      })
    )(response);
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  provider = await FakeProvider.start();
  const listed = [{ id: 'seer', vision: true, documents: true }, { id: 'blind' }];
  writeFileSync(
    models,
    JSON.stringify({
      default_model: 'seer',
      providers: [{ provider: 'openai-compatible', base_url: provider.url, models: listed }],
    }),
  );
  service = await OwnService.start({ SVC_MODELS_FILE: models, SVC_EGRESS_ALLOW: `127.0.0.1:${port()}` });
});

afterAll(async () => {
  await service.remove();
  await provider.stop();
  web.closeAllConnections();
  web.close();
  rmSync(models, { force: true });
});
beforeEach(() => {
  asked.length = 0;
});

const port = (): number => (web.address() as AddressInfo).port;
const at = (path: string): string => `http://127.0.0.1:${port()}${path}`;
const image = (url: string): Block => ({ type: 'image', source: { type: 'url', url } });
const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

async function session(model: string): Promise<string> {
  const agent = await createAgent(service.client, { model });
  return (await createSession(service.client, agent.id, { mode: 'new' })).id;
}

/** What the provider was sent for one turn with this input. */
async function sent(sessionId: string, content: Block[]): Promise<string> {
  const from = provider.seen.length;
  provider.replies.push(sse([chunk({ role: 'assistant', content: 'I see.' }), chunk({}, 'stop'), '[DONE]']));
  expect(await settled(service.client, await startTurn(service.client, sessionId, content))).toMatchObject({
    status: 'completed',
  });
  expect(provider.seen.length).toBe(from + 1);
  return JSON.stringify(provider.seen[from]?.body);
}

it('MSG: media at addresses and inline media, large ones too, reach a model that can see them as their bytes', async () => {
  const id = await session('seer');
  const inline: Block = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') },
  };
  const body = await sent(id, [
    text('look'),
    image(at('/picture')),
    image(at('/mislabelled')),
    inline,
    { type: 'document', source: { type: 'url', url: at('/plan') } },
  ]);
  expect(body.split(png.toString('base64'))).toHaveLength(4);
  expect(body.split(pdf.toString('base64'))).toHaveLength(2);
  expect(body).not.toContain('127.0.0.1');
  expect(asked.sort()).toEqual(['/mislabelled', '/picture', '/plan']);
  expect((await sent(id, [text('again')])).split(png.toString('base64'))).toHaveLength(4);
  expect(asked).toHaveLength(3);
});

it('TE82: pages and office files reach the model as their text, inline and at addresses; what cannot be read is told', async () => {
  const inline = (title: string, bytes: Buffer): Block => ({
    type: 'document',
    title,
    source: { type: 'base64', media_type: wordType, data: bytes.toString('base64') },
  });
  const body = await sent(await session('seer'), [
    text('read'),
    { type: 'document', source: { type: 'url', url: at('/letter') } },
    { type: 'document', source: { type: 'url', url: at('/news') } },
    inline('Memo', word('<w:p xmlns:w="w"><w:r><w:t>The memo.</w:t></w:r></w:p>')),
    inline('Bomb', word(new Uint8Array(65 * 1024 * 1024))),
    inline('Torn', letter.subarray(0, 60)),
  ]);
  const given = (words: string): boolean =>
    body.includes(words) || body.includes(Buffer.from(words).toString('base64'));
  expect([given('Dear reader, the tea is cold.'), given('The memo.')]).toEqual([true, true]);
  expect(body).toContain('The kettle boils.');
  expect(body).not.toContain('hidden');
  expect(body).not.toContain(letter.toString('base64'));
  expect(body).toMatch(/\[document Bomb was not read: it inflates to over \d+ bytes\]/);
  expect(body).toContain('[document Torn was not read: it is damaged]');
  expect(asked.sort()).toEqual(['/letter', '/news']);
});

/** A document that is sent with its bytes. */
const inline = (type: string, bytes: Buffer): Block => ({
  type: 'document',
  source: { type: 'base64', media_type: type, data: bytes.toString('base64') },
});

it('TE82: texts are read in the charset that their mark, their type or they themselves name, and what has no title is named without one', async () => {
  const page = '<html><head><meta charset="windows-1252"></head><p>Tür</p></html>';
  const body = await sent(await session('seer'), [
    text('read'),
    inline('text/plain; charset=iso-8859-1', Buffer.from('für', 'latin1')),
    inline('text/csv', Buffer.from('\ufeffName;Größe', 'utf16le')),
    inline('application/xml', Buffer.from('<?xml version="1.0" encoding="ISO-8859-15"?><a>Mühe</a>', 'latin1')),
    inline('text/html', Buffer.from(page, 'latin1')),
    inline('text/plain; charset=none-such', Buffer.from('Böe')),
    { type: 'document', source: { type: 'url', url: at('/list') } },
    inline(wordType, letter.subarray(0, 60)),
  ]);
  for (const words of ['für', 'Name;Größe', 'Mühe', 'Tür', 'Böe', 'Käse;Öl']) expect(body).toContain(words);
  expect(body).not.toContain('\ufeff');
  expect(body).toContain('[document was not read: it is damaged]');
});

it("TE82, S48: a text that does not fit the model's window is cut for the model, and later turns go on", async () => {
  const id = await session('seer');
  const long = `begin${'long words '.repeat(250_000)}end`;
  const marker =
    /begin(long words )+.{0,10}\\n\[\.\.\. \d+ bytes are left out here: they do not fit the model's window \.\.\.\]\\n/;
  for (const content of [[text('read'), inline('text/plain', Buffer.from(long))], [text('and now?')]]) {
    const body = await sent(id, content);
    expect([marker.test(body), body.includes(' end"'), body.length < 4 * 200_000]).toEqual([true, true, true]);
  }
});

/** A file of a session, and the block that gives it to the agent. */
async function attached(
  sessionId: string,
  name: string,
  bytes: Buffer,
  mime = 'application/octet-stream',
  convert = 'false',
) {
  const fields = [['mime', mime] as const, ['convert', convert] as const, ['file', bytes, name] as const];
  const answer = await sendForm(service.client, fields, { path: `/v1/sessions/${sessionId}/attachments` });
  return answer.body as { artifact: Artifact; content_block: Block };
}

it('TE8: files of the service reach the model as their bytes from the store, and once deleted it is said so', async () => {
  const id = await session('seer');
  const picture = await attached(id, 'p.png', png);
  const large = Buffer.concat([pdf, randomBytes(5 * 1024 * 1024)]);
  const plan = await attached(id, 'plan.pdf', large);
  const notes = await attached(id, 'notes.md', Buffer.from('# remember'), 'text/markdown');
  const body = await sent(id, [text('look'), picture.content_block, plan.content_block, notes.content_block]);
  expect(body).toContain(png.toString('base64'));
  expect(body).toContain(large.toString('base64'));
  expect(body).toContain('# remember');
  expect(body).not.toContain('/v1/artifacts/');
  await service.client.delete(`/v1/sessions/${id}/attachments/${picture.artifact.id}`);
  const later = await sent(id, [text('again')]);
  expect(later).not.toContain(png.toString('base64'));
  expect(later).toMatch(/\[image at [^\]]*\/v1\/artifacts\/art_[0-9a-z]+\/content was not read: it was deleted\]/);
  expect(later).toContain(large.toString('base64'));
});

it('TE82, TE83: office files of a session reach the model as their text, the same whether it was taken out ahead or not', async () => {
  const id = await session('seer');
  const now = await attached(id, 'now.docx', letter, wordType);
  const ahead = await attached(id, 'ahead.docx', word('<w:t xmlns:w="w">It was read ahead.</w:t>'), wordType, 'true');
  const torn = await attached(id, 'torn.docx', letter.subarray(0, 60), wordType, 'true');
  const stateOf = async ({ artifact }: { artifact: Artifact }) =>
    (await service.client.get<Artifact>(`/v1/artifacts/${artifact.id}`)).conversion?.state;
  await eventually('both to have ended', async () => {
    const states = [await stateOf(ahead), await stateOf(torn)];
    return states.join() === 'ready,failed';
  });
  const body = await sent(id, [text('read'), now.content_block, ahead.content_block, torn.content_block]);
  for (const words of ['Dear reader, the tea is cold.', 'It was read ahead.'])
    expect(body.includes(words) || body.includes(Buffer.from(words).toString('base64'))).toBe(true);
  expect(body).toMatch(/\/content was not read: it is damaged\]/);
  expect(body).not.toContain(letter.toString('base64'));
});

it('TE8: size and type of files are those of media by address', async () => {
  const id = await session('seer');
  const huge = await attached(id, 'huge.png', Buffer.concat([png, Buffer.alloc(11 * 1024 * 1024)]));
  const page = await attached(id, 'page.html', Buffer.from('<html>'), 'image/png');
  const asImage: Block = { ...page.content_block, type: 'image' };
  const body = await sent(id, [huge.content_block, asImage, { ...page.content_block }]);
  expect(body).toMatch(/was not read: it is over 10485760 bytes/);
  expect(body).toMatch(/was not read: what is there is no image that can be read/);
  expect(body).toMatch(/was not read: what is there is no document that can be read/);
});

it('S38: a model without vision and documents is given neither, and nothing is fetched', async () => {
  const body = await sent(await session('blind'), [
    text('look'),
    image(at('/picture')),
    { type: 'document', source: { type: 'url', url: at('/plan') } },
  ]);
  expect(body).toContain('look');
  expect(body).not.toMatch(/127\.0\.0\.1|image_url|file_data/);
  expect(asked).toEqual([]);
});

it('S27: no redirects, a cap on size, only what is media, no private address; the turn goes on and the model is told', async () => {
  const body = await sent(await session('seer'), [
    image(at('/elsewhere')),
    image(at('/huge')),
    image(at('/page')),
    image(at('/missing')),
    image('http://169.254.169.254/latest/meta-data'),
    image('http://127.0.0.1:1/x'),
    text('look'),
  ]);
  expect(asked.sort()).toEqual(['/elsewhere', '/huge', '/missing', '/page']);
  expect(body).not.toContain('image_url');
  for (const reason of [
    'redirects, which is not followed',
    'is over 10485760 bytes',
    'no image that can be read',
    'answered 404',
    'may not be asked',
  ])
    expect(body).toContain(reason);
});

it('a call is given the newest 20 MiB of media; what is older is named, also after the process died', async () => {
  const id = await session('seer');
  const pictures = Array.from({ length: 5 }, () =>
    Buffer.concat([png.subarray(0, 8), randomBytes(5 * 1024 * 1024 - 8)]).toString('base64'),
  );
  const seen = (body: string): boolean[] => pictures.map((data) => body.includes(data));
  for (const [index, data] of pictures.entries()) {
    const body = await sent(id, [
      text('look'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    ]);
    expect(seen(body)).toEqual(pictures.map((_, other) => other <= index && other > index - 4));
  }
  await service.end('SIGKILL');
  await service.run();
  const body = await sent(id, [text('and now?')]);
  expect(seen(body)).toEqual([false, true, true, true, true]);
  expect(body).toContain('[an earlier image]');
});
