import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { MemoryBlobs, MemoryEventStore } from '@aos/adapters/memory';
import { Refusal, idPart, type Identity } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { memoryDecisions } from '@aos/platform/testing';
import { newArtifact } from '../artifact/new-artifact.js';
import { quotaKind, reservedBytes } from '../quota/quota.state.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { attachmentForm, uploadFields } from './form-fields.js';
import { UploadSlots } from './upload-slots.js';
import { Uploads } from './uploads.js';

const orgId = 'org_00000000000000000000000001';
const who = { orgId, principalId: 'svc_a', kind: 'service', apiKeyId: null, requestId: 'r', ip: null } as Identity;
const fileBytes = 60_000;
const races = 50;
const limit = 1_000_000;

function body() {
  const form = Buffer.concat([
    Buffer.from('--xyz\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'),
    randomBytes(fileBytes),
    Buffer.from('\r\n--xyz--\r\n'),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=xyz', 'content-length': `${form.length}` };
  return { stream: Readable.from([form.subarray(0, 20_000), form.subarray(20_000)]), headers };
}

/** Two replicas over one log and one store, each with what it remembers of the log. */
function twoReplicas() {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock, soleWriter: false });
  const blobs = new MemoryBlobs();
  const ids = new CountingIds();
  const settings = { artifactBytesMax: limit, artifactQuotaBytes: limit };
  const replica = () => {
    const decisions = memoryDecisions({ store, clock, ids });
    const bytes = new ArtifactBytes(blobs);
    const cleanup = new ArtifactCleanup(decisions, bytes, clock);
    return { decisions, uploads: new Uploads(decisions, bytes, cleanup, new UploadSlots(clock), clock, ids, settings) };
  };
  return { replicas: [replica(), replica()] as const, ids };
}

describe('rule TE4: 50 uploads that race over two replicas', () => {
  it('never hold more than the quota, at no revision of its stream, and what is stored is settled', async () => {
    const { replicas, ids } = twoReplicas();
    const ends = await Promise.all(
      Array.from({ length: races }, (_none, n) => {
        const id = `art_${ids.ulid()}`;
        const custody = { owner: { kind: 'team', id: null }, visibility: 'organization', container: null } as const;
        return (replicas[n % 2] ?? replicas[0]).uploads
          .receive({
            who,
            artifactId: id,
            body: body(),
            fields: (form) => uploadFields(form, attachmentForm),
            record: ({ name, mimeType }, received) =>
              newArtifact(
                { id, org_id: orgId, session_id: null, ...custody, name, mime_type: mimeType },
                received,
                'svc_a',
              ),
          })
          .then(
            () => 'stored',
            (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
          );
      }),
    );
    const stored = ends.filter((end) => end === 'stored').length;
    expect(ends.filter((end) => end !== 'stored' && end !== 'plan_limit_exceeded')).toEqual([]);
    expect([stored > 10, stored * fileBytes <= limit]).toEqual([true, true]);

    const [one] = replicas;
    const events = await one.decisions.read(quotaKind, idPart(orgId), { from: 0, limit: 1000 });
    let state = quotaKind.initial();
    let most = 0;
    for (const event of events) {
      state = quotaKind.evolve(state, event, event.revision);
      most = Math.max(most, state.usedBytes + reservedBytes(state));
    }
    expect([most > limit - 2 * fileBytes, most <= limit]).toEqual([true, true]);
    expect([state.usedBytes, state.count, state.reservations.size]).toEqual([stored * fileBytes, stored, 0]);
  });
});
