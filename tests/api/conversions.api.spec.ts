import { strToU8, zipSync } from 'fflate';
import {
  type Artifact,
  type Block,
  Client,
  type Page,
  anotherOwner,
  createAgent,
  createSession,
  eventually,
  formRefused,
  sendForm,
  settled,
  startTurn,
  text,
  unique,
} from '../harness/index.js';

const api = Client.owner();
const office = 'application/vnd.openxmlformats-officedocument.';
const wordType = `${office}wordprocessingml.document`;
const packed = (parts: Record<string, string | Uint8Array>): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part]),
      ),
    ),
  );
const letter = packed({ 'word/document.xml': '<w:p xmlns:w="w"><w:r><w:t>Tea is cold.</w:t></w:r></w:p>' });
const letterText = 'Tea is cold.';

interface Sent {
  bytes: Uint8Array | string;
  mime: string;
  convert?: string;
  key?: string;
  path?: string;
}

async function send(client: Client, { bytes, mime, convert = 'true', key, path = '/v1/artifacts' }: Sent) {
  const fields = [
    ['name', 'f'],
    ['mime', mime],
    ['file', Buffer.from(bytes), 'f'],
    ['convert', convert],
  ] as const;
  return sendForm(client, fields, { path, ...(key !== undefined && { headers: { 'idempotency-key': key } }) });
}

async function made(client: Client, file: Sent): Promise<Artifact> {
  const answer = await send(client, file);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body as Artifact;
}

const read = (client: Client, { id }: Artifact) => client.get<Artifact>(`/v1/artifacts/${id}`);
/** The conversion of a file once it is over. */
async function over(client: Client, artifact: Artifact) {
  expect(artifact.conversion).toEqual({ state: 'converting' });
  let found = artifact;
  await eventually('the conversion to be over', async () => {
    found = await read(client, artifact);
    return found.conversion?.state !== 'converting';
  });
  return found.conversion;
}

describe('files that are converted ahead (rule TE83)', () => {
  it.each([
    ['a Word file', wordType, letter],
    [
      'a workbook',
      `${office}spreadsheetml.sheet`,
      packed({ 'xl/worksheets/sheet1.xml': '<worksheet><row><c><v>1</v></c></row></worksheet>' }),
    ],
    [
      'a presentation',
      `${office}presentationml.presentation`,
      packed({ 'ppt/slides/slide1.xml': '<p:sld xmlns:a="a"><a:p><a:r><a:t>one</a:t></a:r></a:p></p:sld>' }),
    ],
    ['a page', 'text/html; charset=utf-8', '<h1>News</h1>'],
    ['a PDF, which is read as it is', 'application/octet-stream', '%PDF-1.7\n'],
    ['text, which is read as it is', 'text/markdown', '# News'],
  ])('TE83: %s goes from converting to ready', async (_what, mime, bytes) => {
    expect(await over(api, await made(api, { bytes, mime }))).toEqual({ state: 'ready' });
  });

  it.each([
    ['of a type that nothing reads', 'application/zip', letter, 'application/zip is not a type that can be read'],
    ['that is damaged', wordType, letter.subarray(0, 40), 'it is damaged'],
    ['that is no Word file', wordType, packed({ 'a.txt': 'x' }), 'it is no Word file'],
    [
      'that inflates without end',
      wordType,
      packed({ 'word/document.xml': new Uint8Array(65 * 1024 * 1024) }),
      'it inflates to over 67108864 bytes',
    ],
    ['over 10 MiB', wordType, Buffer.alloc(10 * 1024 * 1024 + 1), 'it is over 10485760 bytes'],
  ])('TE83: a file %s fails, and says why', async (_what, mime, bytes, error) => {
    const artifact = await made(api, { bytes, mime });
    expect(await over(api, artifact)).toEqual({ state: 'failed', error });
    const content = await fetch(api.url(`/v1/artifacts/${artifact.id}/content`), { headers: api.headers({}) });
    expect((await content.arrayBuffer()).byteLength).toBe(artifact.size_bytes);
  });

  it('TE82: files that need more memory or time than a reading has fail, and the service goes on', async () => {
    const strings = `<si><t>${'&lt;'.repeat(1_000_000)}</t></si>`.repeat(12);
    const bytes = packed({ 'xl/worksheets/sheet1.xml': '<worksheet/>', 'xl/sharedStrings.xml': strings });
    const large = { bytes, mime: `${office}spreadsheetml.sheet` };
    const artifacts = await Promise.all(Array.from({ length: 6 }, () => made(api, large)));
    const error = expect.stringMatching(/^it takes (over 128 MiB|longer than 5 s) to read$/) as string;
    for (const artifact of artifacts) expect(await over(api, artifact)).toEqual({ state: 'failed', error });
    expect(await over(api, await made(api, { bytes: letter, mime: wordType }))).toEqual({ state: 'ready' });
  });

  it('TE83: the text counts with the file and goes with it, and the list shows how it went', async () => {
    const owner = anotherOwner(unique('Converting'));
    const quota = () => owner.get<Record<string, number>>('/v1/settings/artifact-storage/quota');
    const artifact = await made(owner, { bytes: letter, mime: wordType });
    expect(await over(owner, artifact)).toEqual({ state: 'ready' });
    await eventually('the text to be counted', async () => {
      const { used_bytes: used, pending_count: pending } = await quota();
      return used === letter.length + letterText.length && pending === 0;
    });
    expect(await quota()).toMatchObject({ artifact_count: 1 });
    const listed = async () => (await owner.get<Page<Artifact>>('/v1/artifacts')).items;
    expect((await listed()).map(({ conversion }) => conversion)).toEqual([{ state: 'ready' }]);
    const plain = await made(owner, { bytes: letter, mime: wordType, convert: 'false' });
    expect(await read(owner, plain)).not.toHaveProperty('conversion');
    for (const { id } of [artifact, plain]) await owner.delete(`/v1/artifacts/${id}`);
    await eventually('all to be free', async () => (await quota())['used_bytes'] === 0);
  });

  it('TE83: a repeat of a key has the conversion of the first, and begins none', async () => {
    const key = unique('key');
    const first = await made(api, { bytes: letter, mime: wordType, key });
    expect(await over(api, first)).toEqual({ state: 'ready' });
    const again = await send(api, { bytes: letter, mime: wordType, key, convert: 'false' });
    expect([again.status, again.body]).toEqual([200, { ...first, conversion: { state: 'ready' } }]);
    const other = unique('key');
    await made(api, { bytes: letter, mime: wordType, key: other, convert: 'false' });
    const late = await send(api, { bytes: letter, mime: wordType, key: other });
    expect([late.status, late.body]).toMatchObject([200, { name: 'f' }]);
    expect(late.body).not.toHaveProperty('conversion');
  });

  it('TE82, TE83: an attachment is converted too, and is given to a turn; another word is refused', async () => {
    const { id } = await createSession(api, (await createAgent(api)).id, { mode: 'new' });
    const path = `/v1/sessions/${id}/attachments`;
    const answer = await send(api, { bytes: letter, mime: wordType, path });
    const { artifact, content_block: block } = answer.body as { artifact: Artifact; content_block: Block };
    expect(await over(api, artifact)).toEqual({ state: 'ready' });
    expect(await settled(api, await startTurn(api, id, [text('read'), block]))).toMatchObject({ status: 'completed' });
    const bad = [
      ['file', Buffer.from('x'), 'f'],
      ['convert', 'maybe'],
    ] as const;
    await formRefused('bad_request', api, bad, { path });
  });
});
