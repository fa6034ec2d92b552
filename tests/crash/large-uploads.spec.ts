import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type ClientRequest, get, request } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { OwnService } from '../harness/embedded.js';
import type { Artifact } from '../harness/index.js';

const mib = 1024 * 1024;
/** Size of the file; `npm run soak -- uploads` sends 2 GiB. */
const fileMib = Number(process.env['UPLOAD_MIB'] ?? 192);
const processMib = 256;
const minutesMs = 15 * 60_000;
/** Where the kernel says what a process took at most. */
const says = existsSync('/proc/self/status') ? it : it.todo;

jest.setTimeout(minutesMs);
let service: OwnService;

beforeAll(async () => {
  service = await OwnService.start({
    SVC_ARTIFACT_BYTES_MAX: String(fileMib * mib),
    SVC_ARTIFACT_QUOTA_BYTES: String(2 * fileMib * mib),
    NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=2',
    MALLOC_ARENA_MAX: '1',
    NODE_DISABLE_COMPILE_CACHE: '1', // compiled code that was read from files takes 15 MiB more, of any process
  });
});
afterAll(() => service.remove());

const peakMib = () =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Sends as much as the service takes, and no more ahead. */
async function send(sending: ClientRequest, bytes: Uint8Array): Promise<void> {
  if (!sending.write(bytes)) await once(sending, 'drain');
}

/** Sends a file whose pieces differ; gives its digest and the answer. */
async function uploaded(): Promise<{ sha256: string; artifact: Artifact }> {
  const { client } = service;
  const sending = request(client.url('/v1/artifacts'), {
    method: 'POST',
    headers: client.headers({ 'content-type': 'multipart/form-data; boundary=xyz' }),
  });
  const answer = once(sending, 'response');
  const hash = createHash('sha256');
  await send(sending, Buffer.from('--xyz\r\nContent-Disposition: form-data; name="name"\r\n\r\nlarge\r\n'));
  await send(sending, Buffer.from('--xyz\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'));
  const chunk = randomBytes(mib);
  for (let n = 0; n < fileMib; n += 1) {
    const next = Buffer.from(chunk);
    next.writeUInt32BE(n);
    hash.update(next);
    await send(sending, next);
  }
  sending.end('\r\n--xyz--\r\n');
  const [response] = (await answer) as [Parameters<typeof json>[0] & { statusCode: number }];
  const body = await json(response);
  expect([response.statusCode, body]).toMatchObject([201, { size_bytes: fileMib * mib }]);
  return { sha256: hash.digest('hex'), artifact: body as Artifact };
}

async function digestOf({ id }: Artifact): Promise<string> {
  const { client } = service;
  const [response] = (await once(
    get(client.url(`/v1/artifacts/${id}/content`), { headers: client.headers({}) }),
    'response',
  )) as [AsyncIterable<Buffer>];
  const hash = createHash('sha256');
  for await (const chunk of response) hash.update(chunk);
  return hash.digest('hex');
}

says(`TE2: a file of ${fileMib} MiB goes in and out through a process of ${processMib} MiB`, async () => {
  const idle = peakMib();
  const { sha256, artifact } = await uploaded();
  expect(artifact.sha256).toBe(sha256);
  const received = peakMib();
  expect(await digestOf(artifact)).toBe(sha256);
  const sent = peakMib();
  console.log(
    `said: ${fileMib} MiB: at rest ${idle.toFixed()} MiB, received ${received.toFixed()}, sent ${sent.toFixed()}`,
  );
  expect(sent).toBeLessThan(processMib);
});
