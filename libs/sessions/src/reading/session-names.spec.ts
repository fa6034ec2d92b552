import { SystemIds } from '@aos/adapters/system';
import { OwnerMap, ownerPartition } from '@aos/kernel';
import { SessionNames } from './session-names.js';

it('of new sessions are owned by the process that makes them, however many share', () => {
  for (const replicas of [1, 2, 4, 16]) {
    const members = Array.from({ length: replicas }, (_, index) => ({ address: `http://r${index}:1`, weight: 1 }));
    const map = new OwnerMap(members);
    for (const { address } of members) {
      const owns = (stream: string) => map.owner(ownerPartition(stream)) === address;
      const names = new SessionNames(new SystemIds(), { owns });
      const made = Array.from({ length: 50 }, () => names.ulid());
      expect(new Set(made).size).toBe(50);
      expect(made.filter((ulid) => owns(`session-ses_${ulid}`)).length).toBeGreaterThanOrEqual(49);
    }
  }
});

it('are given all the same by a process that owns nothing', () => {
  expect(new SessionNames(new SystemIds(), { owns: () => false }).ulid()).toMatch(/^[0-9a-z]{26}$/);
});
