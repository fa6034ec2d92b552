import { MemoryEventStore } from '@aos/adapters/memory';
import { Blobs, idPart, type EventStore } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { serviceActor, type DocumentReading, type DocumentTexts } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { conversionAttemptsMax, conversionRetryMs, reservationAgeMaxMs } from '../artifact/artifact.limits.js';
import { artifactKind, convertedUpload, live } from '../artifact/artifact.state.js';
import { artifactDecider } from '../artifact.decider.js';
import { newArtifact } from '../artifact/new-artifact.js';
import { quotaKind } from '../quota/quota.state.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { CountedBlobs } from '../testing/counted-blobs.js';
import { Life } from '../testing/life.js';
import { UploadSlots } from '../uploading/upload-slots.js';
import { Uploads } from '../uploading/uploads.js';
import { ArtifactConversion } from './artifact-conversion.js';

const orgId = 'org_00000000000000000000000001';
const artifactId = 'art_00000000000000000000000001';
const who = { orgId, principalId: 'svc_a', kind: 'service', apiKeyId: null, requestId: 'r', ip: null } as const;
const actor = serviceActor(orgId, 'svc_a', 'r', 'service');
const page = Buffer.from('<p>Tea is cold.</p>');
const text = 'Tea is cold.';
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

interface World {
  store: EventStore;
  blobs: CountedBlobs;
  clock: ManualClock;
  ids: CountingIds;
  reading: () => Promise<DocumentReading>;
}

function world(reading: World['reading'] = () => Promise.resolve({ text })): World {
  const clock = new ManualClock();
  return {
    store: new MemoryEventStore({ clock, soleWriter: false }),
    blobs: new CountedBlobs(),
    clock,
    ids: new CountingIds(),
    reading,
  };
}

function processOver({ store, blobs, clock, ids, reading }: World, life: Life | null = null, quota = 1_000_000) {
  const decisions = memoryDecisions({ store: life ? life.over(store, ['append']) : store, clock, ids });
  const bytes = new ArtifactBytes(life ? life.over<Blobs>(blobs, ['put', 'remove']) : blobs);
  const cleanup = new ArtifactCleanup(decisions, bytes, clock);
  const settings = { artifactBytesMax: 1_000_000, artifactQuotaBytes: quota };
  const uploads = new Uploads(decisions, bytes, cleanup, new UploadSlots(clock), clock, ids, settings);
  const texts = { textOf: reading } as unknown as DocumentTexts;
  const conversion = new ArtifactConversion(decisions, texts, bytes, cleanup, clock, ids, settings);
  return { decisions, cleanup, uploads, conversion };
}

type Running = ReturnType<typeof processOver>;

const store = ({ uploads }: Running, mime = wordType) =>
  uploads.save({
    who: who as never,
    artifactId,
    bytes: page,
    record: (received) =>
      newArtifact(
        {
          id: artifactId,
          org_id: orgId,
          owner: { kind: 'team', id: null },
          visibility: 'organization',
          container: null,
          session_id: null,
          name: 'f',
          mime_type: mime,
          isConverted: true,
        },
        received,
        'svc_a',
      ),
  });
const remove = async ({ decisions, cleanup }: Running) => {
  const command = { at: '2026-01-01T00:00:01.000Z', by: 'svc_a' };
  await decisions.decide(artifactDecider.deleteArtifact, idPart(artifactId), actor, command);
  await cleanup.cleanOrLeave(orgId, artifactId);
};

/** What the timers of a process do as time goes by. */
async function upkeep({ clock }: World, { conversion, cleanup }: Running) {
  for (let minute = 0; minute < 8; minute += 1) {
    await conversion.run(orgId, artifactId);
    clock.advance(conversionRetryMs);
    await cleanup.clean(orgId, artifactId);
  }
  clock.advance(reservationAgeMaxMs + 1);
  await cleanup.closeReservations(orgId);
}

async function ended({ blobs }: World, { decisions }: Running) {
  const { state } = await decisions.load(artifactKind, idPart(artifactId));
  const { state: quota } = await decisions.load(quotaKind, idPart(orgId));
  return {
    conversion: live(state)?.conversion ?? null,
    hasText: convertedUpload(state) !== null,
    blobs: blobs.there.size,
    quota: [quota.usedBytes, quota.count, quota.reservations.size],
  };
}

/** A conversion in a process that dies, beside a deletion if so wished; then the timers of another one. */
async function lived(dieAt: number, when: 'before' | 'after', isDeleted: boolean) {
  const there = world();
  await store(processOver(there));
  const life = new Life(dieAt, when);
  await life.until(() => processOver(there, life).conversion.run(orgId, artifactId));
  const second = processOver(there);
  if (isDeleted) await remove(second);
  await upkeep(there, second);
  return { writes: life.writes, ...(await ended(there, second)) };
}

const texted = [page.length + text.length, 1, 0];

describe('rule TE83: a process that dies at any write of a conversion', () => {
  it('leaves a file whose conversion ends, and no text that nothing names', async () => {
    const { writes } = await lived(Infinity, 'after', false);
    expect(writes).toBe(6);
    for (let dieAt = 1; dieAt <= writes; dieAt += 1)
      for (const when of ['before', 'after'] as const)
        expect([when, dieAt, await lived(dieAt, when, false)]).toEqual([
          when,
          dieAt,
          { writes: dieAt, conversion: { state: 'ready' }, hasText: true, blobs: 2, quota: texted },
        ]);
  });

  it('TE3: and once the file is deleted nothing of it', async () => {
    for (let dieAt = 1; dieAt <= 6; dieAt += 1)
      for (const when of ['before', 'after'] as const)
        expect([when, dieAt, await lived(dieAt, when, true)]).toMatchObject([
          when,
          dieAt,
          { conversion: null, blobs: 0, quota: [0, 0, 0] },
        ]);
  });
});

describe('rule TE83: conversions', () => {
  it('fail with the reason of the document, and are not begun again', async () => {
    let reads = 0;
    const there = world(() => {
      reads += 1;
      return Promise.resolve({ failure: 'it is damaged' });
    });
    const running = processOver(there);
    await store(running);
    await upkeep(there, running);
    expect(await ended(there, running)).toMatchObject({
      conversion: { state: 'failed', error: 'it is damaged' },
      blobs: 1,
    });
    expect(reads).toBe(1);
  });

  it('that never end are given up after five attempts, a minute apart', async () => {
    let reads = 0;
    const there = world(() => {
      reads += 1;
      return Promise.resolve({ failure: 'the service stops', isPassing: true });
    });
    const running = processOver(there);
    await store(running);
    await running.conversion.run(orgId, artifactId);
    await running.conversion.run(orgId, artifactId);
    expect(reads).toBe(1);
    await upkeep(there, running);
    expect(reads).toBe(conversionAttemptsMax);
    const { conversion } = await ended(there, running);
    expect(conversion).toMatchObject({ state: 'failed', error: '5 attempts to read it did not end' });
  });

  it('of two processes that are at it one ends it; the other leaves nothing', async () => {
    let slow: (reading: DocumentReading) => void = () => undefined;
    const there = world(() => new Promise((read) => (slow = read)));
    const first = processOver(there);
    await store(first);
    const late = first.conversion.run(orgId, artifactId);
    await new Promise((soon) => setImmediate(soon));
    there.clock.advance(conversionRetryMs);
    const second = processOver({ ...there, reading: () => Promise.resolve({ text }) });
    await second.conversion.run(orgId, artifactId);
    slow({ text: 'another text' });
    await late;
    expect(await ended(there, second)).toMatchObject({ conversion: { state: 'ready' }, blobs: 2, quota: texted });
  });

  it('TE4: whose text has no room in the quota fail', async () => {
    const there = world();
    const running = processOver(there, null, page.length + text.length - 1);
    await store(running);
    await running.conversion.run(orgId, artifactId);
    expect(await ended(there, running)).toMatchObject({
      conversion: { state: 'failed', error: 'the storage is full' },
      blobs: 1,
      quota: [page.length, 1, 0],
    });
  });

  it('of a file that is deleted meanwhile keep no text', async () => {
    let read: (reading: DocumentReading) => void = () => undefined;
    const there = world(() => new Promise((over) => (read = over)));
    const running = processOver(there);
    await store(running);
    const converting = running.conversion.run(orgId, artifactId);
    await new Promise((soon) => setImmediate(soon));
    await remove(running);
    read({ text });
    await converting;
    expect(await ended(there, running)).toMatchObject({ conversion: null, blobs: 0, quota: [0, 0, 0] });
  });

  it('of what is read as it is are ready without a text, of what cannot be read they fail', async () => {
    const ends = [];
    for (const mime of ['text/plain', 'application/zip']) {
      const there = world();
      const running = processOver(there);
      await store(running, mime);
      await running.conversion.run(orgId, artifactId);
      const { conversion, hasText } = await ended(there, running);
      ends.push([conversion, hasText]);
    }
    expect(ends).toEqual([
      [{ state: 'ready' }, false],
      [{ state: 'failed', error: 'application/zip is not a type that can be read' }, false],
    ]);
  });
});
