import { MemoryBlobs, MemoryEventStore, MemoryReadStore } from '@aos/adapters/memory';
import { idPart, rfc3339, type Clock } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { WriterProjections, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { sessionKind, type SessionDirectory, type SessionEvent, type SessionOpening } from '@aos/sessions/published';
import type { ArtifactEvent, ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactRows, artifactsProjection } from '../artifact/artifact.projection.js';
import { artifactKind, live } from '../artifact/artifact.state.js';
import { newArtifact } from '../artifact/new-artifact.js';
import { ArtifactDirectory } from '../reading/artifact-directory.js';
import { ArtifactBytes } from '../storing/artifact-bytes.js';
import { ArtifactCleanup } from '../storing/artifact-cleanup.js';
import { SessionFiles } from './session-files.js';

const orgId = 'org_00000000000000000000000001';
const sessionId = 'ses_00000000000000000000000001';
const otherId = 'ses_00000000000000000000000002';
const actor = serviceActor(orgId, 'svc_a', 'r', 'service');
const idOf = (n: number) => `art_${String(n).padStart(26, '0')}`;

/** Rows of artifacts lag behind the log while `isLate` is set. */
function world() {
  const clock = new ManualClock();
  const readStore = new MemoryReadStore();
  const store = new MemoryEventStore({ clock });
  const writers = new WriterProjections(readStore);
  writers.register(artifactsProjection as never);
  const decisions = memoryDecisions({ store, clock, writers });
  const cleanup = new ArtifactCleanup(decisions, new ArtifactBytes(new MemoryBlobs()), clock);
  const waits: number[] = [];
  let late: (() => Promise<void>) | null = null;
  const waiting = {
    now: () => clock.now(),
    sleep: async (ms: number) => {
      waits.push(ms);
      await late?.();
    },
  } as unknown as Clock;
  const directory = new ArtifactDirectory(decisions, {} as SessionDirectory, clock);
  const files = new SessionFiles(decisions, readStore, directory, cleanup, waiting);
  const write = (id: string, ...events: SessionEvent[]) => decisions.run(sessionKind, id, actor, () => events);
  return {
    files,
    waits,
    clock,
    open: (id: string, retention?: SessionOpening['retention']) =>
      write(id, {
        type: 'SessionOpened',
        data: {
          session: {
            id,
            org_id: orgId,
            agent_id: 'agent_a',
            session_key: id,
            owner: { kind: 'team', id: null },
            visibility: 'organization',
            title: '',
            origin: 'api',
            compaction_policy: { strategy: 'auto' },
            ...(retention && { retention }),
            created_by: 'svc_a',
            created_at: rfc3339(clock.now()),
          },
        },
      }),
    end: (id: string) => write(id, { type: 'SessionDeleted', data: { at: rfc3339(clock.now()) } }),
    async store(n: number, session: string | null): Promise<ArtifactRecord> {
      const id = idOf(n);
      const at = rfc3339(clock.now());
      const record = newArtifact(
        {
          id,
          org_id: orgId,
          owner: { kind: 'team', id: null },
          visibility: 'organization',
          container: null,
          session_id: session,
          name: `f${n}`,
          mime_type: 'text/plain',
        },
        { bytes: 0, sha256: 'e'.repeat(64), at },
        'svc_a',
      );
      const upload = { id: `u${n}`, artifact_id: id, org_id: orgId, begun_at: at };
      const events: ArtifactEvent[] = [
        { type: 'UploadBegun', data: { upload, piece: null } },
        { type: 'ArtifactStored', data: { artifact: record, upload_id: upload.id } },
      ];
      await decisions.run(artifactKind, idPart(id), actor, () => events);
      return record;
    },
    there: async (n: number) => live((await decisions.load(artifactKind, idPart(idOf(n)))).state) !== null,
    /** The row is away until the first wait. */
    async delayRow(n: number): Promise<void> {
      const key = idOf(n);
      const found = await artifactRows.get(readStore, [orgId], key);
      if (!found) throw new Error('no row to delay');
      readStore.get = (name, scope, wanted) =>
        wanted === key && waits.length === 0
          ? Promise.resolve(null)
          : MemoryReadStore.prototype.get.call(readStore, name, scope, wanted);
    },
    onWait: (work: () => Promise<void>) => {
      late = work;
    },
  };
}

describe('rule TE8: files go with their session', () => {
  it('all of it, more than a page, and none of another session or of none', async () => {
    const { files, open, end, store, there } = world();
    await open(sessionId);
    await open(otherId);
    for (let n = 1; n <= 120; n += 1) await store(n, sessionId);
    await store(121, otherId);
    await store(122, null);
    await end(sessionId);
    await files.deleteAll(orgId, sessionId);
    await files.deleteAll(orgId, sessionId);
    const left = await Promise.all(Array.from({ length: 122 }, (_, n) => there(n + 1)));
    expect(left.map((isThere, n) => (isThere ? n + 1 : 0)).filter((n) => n > 0)).toEqual([121, 122]);
  });

  it('one that was stored after the end of its session', async () => {
    const { files, open, end, store, there, clock } = world();
    await open(sessionId);
    await end(sessionId);
    await files.deleteAll(orgId, sessionId);
    await files.stored(await store(1, sessionId));
    expect(await there(1)).toBe(false);
    await open(otherId, { mode: 'bounded', ttl_seconds: 3600 });
    const kept = await store(2, otherId);
    await files.stored(kept);
    expect(await there(2)).toBe(true);
    clock.advance(3_600_001);
    await files.stored(kept);
    expect(await there(2)).toBe(false);
  });

  it('waits for the row that finds a file, so that none is passed over', async () => {
    const { files, open, store, delayRow, waits, onWait, there, end } = world();
    await open(sessionId);
    const record = await store(1, sessionId);
    await delayRow(1);
    await files.stored(record);
    expect(waits).toEqual([50]);
    waits.length = 0;
    onWait(() => {
      waits.length = 0;
      return Promise.resolve();
    });
    await expect(files.stored(record)).rejects.toThrow('has no row yet');
    await end(sessionId);
    await files.stored(record);
    expect(await there(1)).toBe(false);
  });
});
