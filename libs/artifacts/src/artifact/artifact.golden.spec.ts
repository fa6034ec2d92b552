import { expectGoldenStates, goldenOf } from '@aos/kernel/testing';
import { artifactTimersProjection, artifactsProjection } from './artifact.projection.js';
import { artifactKind, convertedUpload, live, storedUpload } from './artifact.state.js';
import { conversionRetryMs, uploadAgeMaxMs } from './artifact.limits.js';

const golden = goldenOf(__dirname, artifactKind);
const stored = ['UploadBegun', 'PieceNamed', 'ArtifactStored'] as const;
const converted = ['ConversionBegun', 'TextNamed', 'ArtifactConverted'] as const;
const begunAt = Date.parse('2026-11-24T10:00:00.000Z');

describe('recorded events of artifacts', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    const state = golden.after(...stored);
    expect(live(state)).toMatchObject({ name: 'Bericht ü.pdf', size_bytes: 4_194_305, deleted_at: null });
    expect(storedUpload(state)?.pieces.map(({ bytes }) => bytes)).toEqual([4_194_304, 1]);
    expect(golden.after('UploadBegun', 'UploadAbandoned').uploads).toMatchObject([{ status: 'abandoned' }]);
    expect(golden.after('UploadAbandoned')).toMatchObject({ uploads: [], closed: ['01kupload0000000000000000a'] });
    const handedOn = golden.after(...stored, 'CustodyChanged');
    expect(live(handedOn)).toMatchObject({ owner: { kind: 'team', id: null }, visibility: 'organization' });
    const deleted = golden.after(...stored, 'ArtifactDeleted');
    expect([live(deleted), deleted.uploads.length]).toEqual([null, 1]);
    expect(golden.after(...stored, 'ArtifactDeleted', 'ArtifactErased').uploads).toEqual([]);
  });

  it('say what they meant of a text that was taken out (rule TE83)', () => {
    expect(live(golden.after(...stored, 'ConversionBegun'))?.conversion).toEqual({
      state: 'converting',
      attempts: 1,
      begun_at: '2026-11-24T10:00:03.000Z',
    });
    const state = golden.after(...stored, ...converted);
    expect(live(state)?.conversion).toEqual({ state: 'ready' });
    expect(convertedUpload(state)?.pieces.map(({ bytes }) => bytes)).toEqual([1234]);
    expect(storedUpload(state)?.pieces).toHaveLength(2);
  });

  it('fold to the states that snapshots of this version hold', () => {
    const ended = ['ArtifactDeleted', 'ArtifactErased', 'UploadAbandoned', 'CustodyChanged'] as const;
    const history = [...stored, ...ended, ...converted] as const;
    expectGoldenStates(
      __dirname,
      artifactKind,
      history.map((type) => [golden.recorded(type)]),
    );
  });

  it('TE3: stand in the list while the artifact is there, and on the timer while pieces are for nothing', () => {
    const rows = (...types: Parameters<typeof golden.after>) => {
      const projected = { state: golden.after(...types), id: '00000000000000000000000001', revision: 1 };
      return {
        row: artifactsProjection.rows(projected)[0]?.doc ?? null,
        at: artifactTimersProjection.rows(projected)[0]?.doc?.at ?? null,
      };
    };
    expect(rows('UploadBegun')).toEqual({ row: null, at: begunAt + uploadAgeMaxMs });
    expect(rows('UploadBegun', 'UploadAbandoned').at).toBe(begunAt + 6_000);
    expect(rows(...stored)).toMatchObject({ row: { name: 'Bericht ü.pdf' }, at: null });
    expect(rows(...stored, 'ArtifactDeleted')).toEqual({ row: null, at: begunAt + 3_605_000 });
    expect(rows(...stored, 'ArtifactDeleted', 'ArtifactErased').at).toBeNull();
  });

  it('TE83: a conversion that began and did not end stands on a timer of its own', () => {
    const timers = (...types: Parameters<typeof golden.after>) =>
      artifactTimersProjection
        .rows({ state: golden.after(...types), id: '00000000000000000000000001', revision: 1 })
        .map(({ key, doc }) => [key.split(':')[1], doc?.['at'] ?? null]);
    const conversionAt = begunAt + 3_000 + conversionRetryMs;
    expect(timers(...stored)).toEqual([['cleanup', null]]);
    expect(timers(...stored, 'ConversionBegun')).toEqual([
      ['cleanup', null],
      ['conversion', conversionAt],
    ]);
    expect(timers(...stored, 'ConversionBegun', 'TextNamed')).toEqual([
      ['cleanup', begunAt + 4_000 + 120_000],
      ['conversion', conversionAt],
    ]);
    expect(timers(...stored, ...converted)).toEqual([
      ['cleanup', null],
      ['conversion', null],
    ]);
  });
});
