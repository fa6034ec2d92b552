import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { MemoryEventStore } from '@aos/adapters/memory';
import { Blobs, idPart, type EventStore, type Identity } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { memoryDecisions } from '@aos/platform/testing';
import { reservationAgeMaxMs } from '../artifact/artifact.limits.js';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactKind, live } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { quotaKind } from '../quota/quota.state.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { CountedBlobs } from '../testing/counted-blobs.js';
import { Life } from '../testing/life.js';
import { artifactForm, uploadFields } from './form-fields.js';
import { UploadSlots } from './upload-slots.js';
import { Uploads } from './uploads.js';

const orgId = 'org_00000000000000000000000001';
const artifactId = 'art_00000000000000000000000001';
const who = { orgId, principalId: 'svc_a', kind: 'service', apiKeyId: null, requestId: 'r', ip: null } as Identity;
const file = randomBytes(5 * 1024 * 1024);

function processOver(store: EventStore, blobs: Blobs, clock: ManualClock, life: Life | null, ids = new CountingIds()) {
  const decisions = memoryDecisions({ store: life ? life.over(store, ['append']) : store, clock, ids });
  const bytes = new ArtifactBytes(life ? life.over(blobs, ['put', 'remove']) : blobs);
  const cleanup = new ArtifactCleanup(decisions, bytes, clock);
  const settings = { artifactBytesMax: 50 * 1024 * 1024, artifactQuotaBytes: 50 * 1024 * 1024 };
  const uploads = new Uploads(decisions, bytes, cleanup, new UploadSlots(clock), clock, ids, settings);
  return { decisions, cleanup, uploads };
}

function body() {
  const boundary = 'xyz';
  const form = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\nf\r\n`),
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': `${form.length}` };
  return { stream: Readable.from([form]), headers };
}

const record = (sizeBytes: number, sha256: string, at: string): ArtifactRecord => ({
  id: artifactId,
  org_id: orgId,
  owner: { kind: 'team', id: null },
  visibility: 'organization',
  container: null,
  session_id: null,
  name: 'f',
  mime_type: 'text/plain',
  size_bytes: sizeBytes,
  sha256,
  metadata: null,
  conversion: null,
  created_at: at,
  created_by: 'svc_a',
  updated_at: at,
  updated_by: 'svc_a',
  deleted_at: null,
});

/** An upload and the deletion of its artifact, in a process that dies; then the timers of another one. */
async function lived(dieAt: number, when: 'before' | 'after') {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock });
  const blobs = new CountedBlobs();
  const life = new Life(dieAt, when);
  const first = processOver(store, blobs, clock, life);
  const receive = () =>
    first.uploads.receive({
      who,
      artifactId,
      body: body(),
      fields: (form) => uploadFields(form, artifactForm),
      record: (_fields, { bytes, sha256, at }) => record(bytes, sha256, at),
    });
  const actor = {
    orgId,
    principalId: 'svc_a',
    principalKind: 'service' as const,
    apiKeyId: null,
    ip: null,
    requestId: 'r',
  };
  let isWhole = false;
  await life.until(async () => {
    await receive();
    isWhole = true;
    const command = { at: '2026-01-01T00:00:01.000Z', by: 'svc_a' };
    await first.decisions.decide(artifactDecider.deleteArtifact, idPart(artifactId), actor, command);
    await first.cleanup.clean(orgId, artifactId);
  });
  clock.advance(reservationAgeMaxMs + 1);
  const second = processOver(store, blobs, clock, null);
  await second.cleanup.clean(orgId, artifactId);
  await second.cleanup.closeReservations(orgId);
  const { state } = await second.decisions.load(artifactKind, idPart(artifactId));
  const { state: quota } = await second.decisions.load(quotaKind, idPart(orgId));
  return { isWhole, writes: life.writes, record: live(state), quota, blobs: blobs.there.size };
}

describe('rules TE3, TE4: a process that dies at any write of an upload or a deletion', () => {
  it('leaves the whole artifact or nothing, and a quota that says so', async () => {
    const { writes } = await lived(Infinity, 'after');
    expect(writes).toBeGreaterThan(10);
    const ends = new Set<string>();
    for (let dieAt = 1; dieAt <= writes; dieAt += 1)
      for (const when of ['before', 'after'] as const) {
        const { record: left, quota, blobs } = await lived(dieAt, when);
        const where = `${when} write ${dieAt}`;
        ends.add(left ? 'whole' : 'nothing');
        expect([where, blobs]).toEqual([where, left ? 2 : 0]);
        expect([where, quota.usedBytes, quota.count, quota.reservations.size]).toEqual([
          where,
          left ? file.length : 0,
          left ? 1 : 0,
          0,
        ]);
      }
    expect(ends).toEqual(new Set(['whole', 'nothing']));
  });
});

/** A save of an agent in a process that dies, and the same call in the next one; then the timers. */
async function savedTwice(dieAt: number, when: 'before' | 'after') {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock });
  const blobs = new CountedBlobs();
  const life = new Life(dieAt, when);
  const ids = new CountingIds();
  const small = file.subarray(0, 1000);
  const save = ({ uploads }: ReturnType<typeof processOver>) =>
    uploads.save({ who, artifactId, bytes: small, record: ({ bytes, sha256, at }) => record(bytes, sha256, at) });
  await life.until(async () => {
    await save(processOver(store, blobs, clock, life, ids));
  });
  const second = processOver(store, blobs, clock, null, ids);
  const { record: saved } = await save(second);
  clock.advance(reservationAgeMaxMs + 1);
  await second.cleanup.clean(orgId, artifactId);
  await second.cleanup.closeReservations(orgId);
  const { state: quota } = await second.decisions.load(quotaKind, idPart(orgId));
  return { writes: life.writes, saved, quota, blobs: blobs.there.size };
}

describe('rule TE9: a process that dies at any write of a save', () => {
  it('and the same call in the next one make one file', async () => {
    const { writes } = await savedTwice(Infinity, 'after');
    expect(writes).toBeGreaterThan(4);
    for (let dieAt = 1; dieAt <= writes; dieAt += 1)
      for (const when of ['before', 'after'] as const) {
        const { saved, quota, blobs } = await savedTwice(dieAt, when);
        const where = `${when} write ${dieAt}`;
        expect([where, saved.id, saved.size_bytes, blobs]).toEqual([where, artifactId, 1000, 1]);
        expect([where, quota.usedBytes, quota.count, quota.reservations.size]).toEqual([where, 1000, 1, 0]);
      }
  });
});
