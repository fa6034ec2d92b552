import { expectGoldenStates, goldenOf } from '@aos/kernel/testing';
import { quotaKind, reservedBytes } from './quota.state.js';

const golden = goldenOf(__dirname, quotaKind);

describe('recorded events of quotas', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    expect(reservedBytes(golden.after('BytesReserved'))).toBe(4_194_800);
    const settled = golden.after('BytesReserved', 'BytesSettled');
    expect([settled.usedBytes, settled.count, reservedBytes(settled)]).toEqual([4_194_305, 1, 0]);
    const withText = golden.after('BytesReserved', 'BytesSettled', 'TextSettled');
    expect([withText.usedBytes, withText.count]).toEqual([4_195_539, 1]);
    expect(golden.after('BytesReserved', 'BytesSettled', 'TextSettled', 'BytesReleased')).toMatchObject({
      usedBytes: 0,
      count: 0,
    });
    expect(golden.after('BytesReserved', 'BytesSettled', 'BytesReleased')).toMatchObject({ usedBytes: 0, count: 0 });
    expect(reservedBytes(golden.after('BytesReserved', 'BytesReleased'))).toBe(0);
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = ['BytesReserved', 'BytesSettled', 'BytesReleased', 'TextSettled'] as const;
    expectGoldenStates(
      __dirname,
      quotaKind,
      history.map((type) => [golden.recorded(type)]),
    );
  });
});
