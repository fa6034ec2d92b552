import { fold } from '@aos/kernel';
import { given } from '@aos/kernel/testing';
import { quotaDecider } from '../quota.decider.js';
import type { QuotaEvent } from './quota.events.js';
import { bytesOf, quotaKind } from './quota.state.js';

const at = '2026-11-24T10:00:00.000Z';
const reserved = (uploadId: string, bytes: number, artifactId = `art_${uploadId}`): QuotaEvent => ({
  type: 'BytesReserved',
  data: { org_id: 'org_a', upload_id: uploadId, artifact_id: artifactId, bytes, at },
});
const settled = (uploadId: string, bytes: number): QuotaEvent => ({
  type: 'BytesSettled',
  data: { upload_id: uploadId, artifact_id: `art_${uploadId}`, bytes },
});
const after = (...events: QuotaEvent[]) => given(quotaKind, ...events).state();
const asking = (uploadId: string, bytes: number) => ({
  orgId: 'org_a',
  uploadId,
  artifactId: `art_${uploadId}`,
  bytes,
  limitBytes: 100,
  at,
});

describe('rule TE4: the quota of artifacts', () => {
  it('counts what is settled and what is on its way', () => {
    const { reserveBytes } = quotaDecider;
    expect(
      reserveBytes.decide(asking('c', 20), after(reserved('a', 50), settled('a', 40), reserved('b', 40)), 0),
    ).toHaveLength(1);
    expect(() =>
      reserveBytes.decide(asking('c', 21), after(reserved('a', 50), settled('a', 40), reserved('b', 40)), 0),
    ).toThrow(
      expect.objectContaining({
        code: 'plan_limit_exceeded',
        details: { limit: 'artifact_storage', limit_bytes: 100, used_bytes: 40 },
      }),
    );
  });

  it('counts a settle and a release that come twice once', () => {
    const { settleBytes, releaseBytes } = quotaDecider;
    const settle = { uploadId: 'a', artifactId: 'art_a', bytes: 40 };
    expect(settleBytes.decide(settle, after(reserved('a', 50)), 0)).toEqual([settled('a', 40)]);
    expect(settleBytes.decide(settle, after(reserved('a', 50), settled('a', 40)), 0)).toEqual([]);
    const release = { uploadId: 'a', artifactId: 'art_a' };
    const [gone] = releaseBytes.decide(release, after(reserved('a', 50), settled('a', 40)), 0);
    expect(gone?.data).toEqual({ upload_id: 'a', artifact_id: 'art_a' });
    expect(releaseBytes.decide(release, after(reserved('a', 50), settled('a', 40), gone as QuotaEvent), 0)).toEqual([]);
  });

  it('TE83: counts the text of a file with it, once, and frees both together', () => {
    const { settleText, releaseBytes } = quotaDecider;
    const settle = { uploadId: 't', artifactId: 'art_a', bytes: 5 };
    const before = [reserved('a', 50), settled('a', 40), reserved('t', 5, 'art_a')];
    const [counted] = settleText.decide(settle, after(...before), 0);
    const state = after(...before, counted as QuotaEvent);
    expect([state.usedBytes, state.count, state.reservations.size]).toEqual([45, 1, 0]);
    expect(settleText.decide(settle, state, 0)).toEqual([]);
    const [gone] = releaseBytes.decide({ uploadId: 'a', artifactId: 'art_a' }, state, 0);
    const freed = after(...before, counted as QuotaEvent, gone as QuotaEvent);
    expect([freed.usedBytes, freed.count]).toEqual([0, 0]);
    const released = [...before, { type: 'BytesReleased', data: { upload_id: 'a', artifact_id: 'art_a' } } as const];
    expect(settleText.decide(settle, after(...released), 0)).toEqual([]);
  });

  it('settles nothing whose reservation was closed before: the artifact was deleted in between', () => {
    const closed: QuotaEvent = { type: 'BytesReleased', data: { upload_id: 'a', artifact_id: null } };
    const settle = { uploadId: 'a', artifactId: 'art_a', bytes: 40 };
    expect(quotaDecider.settleBytes.decide(settle, after(reserved('a', 50), closed), 0)).toEqual([]);
  });

  it('forgets artifacts that are gone, and keeps those that are there', () => {
    const events: QuotaEvent[] = [reserved('kept', 7), settled('kept', 7)];
    for (let n = 0; n < 1_100; n += 1) {
      const id = `x${n}`;
      events.push(reserved(id, 1), settled(id, 1), {
        type: 'BytesReleased',
        data: { upload_id: id, artifact_id: `art_${id}` },
      });
    }
    const state = fold(quotaKind, events);
    const entries = state.live.reduce((sum, part) => sum + part.size, 0);
    expect([state.usedBytes, state.count, bytesOf(state, 'art_kept'), bytesOf(state, 'art_x5')]).toEqual([
      7,
      1,
      7,
      null,
    ]);
    expect(entries).toBeLessThan(200);
  });
});
