import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { MemoryEventStore } from '@aos/adapters/memory';
import { Refusal, idPart, type Blobs, type Identity } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { memoryDecisions } from '@aos/platform/testing';
import { reservationAgeMaxMs, uploadAgeMaxMs } from '../artifact/artifact.limits.js';
import { artifactKind, live, storedUpload } from '../artifact/artifact.state.js';
import { newArtifact } from '../artifact/new-artifact.js';
import { quotaKind } from '../quota/quota.state.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { CountedBlobs } from '../testing/counted-blobs.js';
import { Life } from '../testing/life.js';
import { artifactForm, uploadFields } from './form-fields.js';
import { UploadSlots } from './upload-slots.js';
import { Uploads } from './uploads.js';

const orgId = 'org_00000000000000000000000001';
const artifactId = 'art_00000000000000000000000009';
const who = { orgId, principalId: 'svc_a', kind: 'service', apiKeyId: null, requestId: 'r', ip: null } as Identity;
const mib = 1024 * 1024;
const file = randomBytes(9 * mib);
const shorter = file.subarray(0, 5 * mib);
const chunkBytes = 64 * 1024;

type Order = 'name first' | 'file first';

/** As they come over a connection: a name that stands behind the file is not known while that is read. */
function* chunksOf(form: Buffer) {
  for (let at = 0; at < form.length; at += chunkBytes) yield form.subarray(at, at + chunkBytes);
}

function body(bytes: Buffer, order: Order) {
  const name = Buffer.from('--xyz\r\nContent-Disposition: form-data; name="name"\r\n\r\nf\r\n');
  const head = Buffer.from('--xyz\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n');
  const part = Buffer.concat([head, bytes, Buffer.from('\r\n')]);
  const form = Buffer.concat([...(order === 'name first' ? [name, part] : [part, name]), Buffer.from('--xyz--\r\n')]);
  const headers = { 'content-type': 'multipart/form-data; boundary=xyz', 'content-length': `${form.length}` };
  return { stream: Readable.from(chunksOf(form)), headers };
}

function world(quota = 100 * mib) {
  const clock = new ManualClock();
  const streams = new Set<string>();
  const beforeAppend = (stream: string) => {
    if (stream.startsWith('artifact-')) streams.add(stream);
  };
  const store = new MemoryEventStore({ clock, faults: { beforeAppend } });
  const blobs = new CountedBlobs();
  const ids = new CountingIds();
  const running = (life: Life | null = null) => {
    const decisions = memoryDecisions({ store: life ? life.over(store, ['append']) : store, clock, ids });
    const bytes = new ArtifactBytes(life ? life.over<Blobs>(blobs, ['put', 'remove']) : blobs);
    const cleanup = new ArtifactCleanup(decisions, bytes, clock);
    const settings = { artifactBytesMax: 50 * mib, artifactQuotaBytes: quota };
    const uploads = new Uploads(decisions, bytes, cleanup, new UploadSlots(clock), clock, ids, settings);
    /** An upload whose id follows from its name, as those with a lease have it. */
    const receive = (bytesSent: Buffer, order: Order) =>
      uploads.receive({
        who,
        artifactId: (name) => (name === 'f' ? artifactId : 'art_00000000000000000000000008'),
        body: body(bytesSent, order),
        fields: (form) => uploadFields(form, artifactForm),
        record: ({ name, mimeType }, received, id) =>
          newArtifact(
            {
              id,
              org_id: orgId,
              owner: { kind: 'team', id: null },
              visibility: 'organization',
              container: null,
              session_id: null,
              name,
              mime_type: mimeType,
            },
            received,
            'svc_a',
          ),
      });
    return { decisions, bytes, cleanup, receive };
  };
  /** What is there once the timers of another process did their part. */
  const ended = async () => {
    const { decisions, bytes, cleanup } = running();
    clock.advance(reservationAgeMaxMs + 1);
    for (const stream of streams) await cleanup.clean(orgId, `art_${stream.slice('artifact-'.length)}`);
    await cleanup.closeReservations(orgId);
    const { state } = await decisions.load(artifactKind, idPart(artifactId));
    const { state: quotaState } = await decisions.load(quotaKind, idPart(orgId));
    const whole = live(state) && (await bytes.whole(orgId, storedUpload(state)?.pieces ?? []));
    return {
      bytes: whole,
      blobs: blobs.there.size,
      quota: [quotaState.usedBytes, quotaState.count, quotaState.reservations.size],
    };
  };
  return { running, ended, blobs, clock };
}

const code = (error: unknown) => (error instanceof Refusal ? error.code : String(error));

describe('rules TE2, TE5: an upload whose id follows from its name', () => {
  it.each(['name first', 'file first'] as const)('%s: is stored once, and a repeat gives it', async (order) => {
    const { running, ended } = world();
    const { receive } = running();
    const first = await receive(file, order);
    expect([first.isNew, first.record.id]).toEqual([true, artifactId]);
    const again = await receive(file, order);
    expect([again.isNew, again.record]).toEqual([false, first.record]);
    await expect(receive(randomBytes(9 * mib), order)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    const left = await ended();
    expect(left.bytes?.equals(file)).toBe(true);
    expect([left.blobs, left.quota]).toEqual([3, [file.length, 1, 0]]);
  });

  it.each(['name first', 'file first'] as const)(
    '%s: a repeat is given when there is no room for another file, which is refused',
    async (order) => {
      const { running, ended } = world(file.length + mib);
      const { receive } = running();
      const first = await receive(file, order);
      const again = await receive(file, order);
      expect([again.isNew, again.record]).toEqual([false, first.record]);
      expect(await receive(randomBytes(9 * mib), order).catch(code)).toBe('idempotency_conflict');
      expect((await ended()).quota).toEqual([file.length, 1, 0]);
    },
  );

  it.each(['name first', 'file first'] as const)(
    '%s: without room it is refused, and nothing is left',
    async (order) => {
      const { running, ended } = world(5 * mib);
      expect(await running().receive(file, order).catch(code)).toBe('plan_limit_exceeded');
      expect(await ended()).toEqual({ bytes: null, blobs: 0, quota: [0, 0, 0] });
    },
  );

  it('TE3: a writer that stood still for 20 minutes takes away what it put after its upload was cleaned up', async () => {
    const { running, ended, blobs, clock } = world();
    const { receive, cleanup } = running();
    const put = blobs.put.bind(blobs);
    let puts = 0;
    blobs.put = async (org, bytes) => {
      puts += 1;
      if (puts === 2) {
        clock.advance(uploadAgeMaxMs + 1);
        await cleanup.clean(orgId, artifactId);
      }
      return put(org, bytes);
    };
    expect(await receive(file, 'name first').catch(code)).toMatch(/^(conflict|request_timeout)$/);
    expect(await ended()).toEqual({ bytes: null, blobs: 0, quota: [0, 0, 0] });
    expect(puts).toBeGreaterThan(1);
  });

  it('TE3: a process that dies at any write of one whose name comes last leaves the whole file or nothing', async () => {
    const attempt = async (dieAt: number, when: 'before' | 'after') => {
      const { running, ended } = world();
      const life = new Life(dieAt, when);
      await life.until(async () => {
        await running(life).receive(shorter, 'file first');
      });
      return { writes: life.writes, ...(await ended()) };
    };
    const { writes } = await attempt(Infinity, 'after');
    expect(writes).toBeGreaterThan(12);
    const ends = new Set<boolean>();
    for (let dieAt = 1; dieAt <= writes; dieAt += 1)
      for (const when of ['before', 'after'] as const) {
        const { bytes, blobs, quota } = await attempt(dieAt, when);
        const isWhole = bytes?.equals(shorter) === true;
        ends.add(isWhole);
        expect([when, dieAt, bytes === null || isWhole, blobs, quota]).toEqual([
          when,
          dieAt,
          true,
          isWhole ? 2 : 0,
          isWhole ? [shorter.length, 1, 0] : [0, 0, 0],
        ]);
      }
    expect(ends).toEqual(new Set([true, false]));
  });
});
