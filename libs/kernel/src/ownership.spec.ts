import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { derivedId } from './ids.js';
import { laneOf, lanes, ownedPartition, ownerPartition, ownerPartitions, OwnerMap } from './ownership.js';

const golden = JSON.parse(readFileSync(join(__dirname, 'golden', 'owner-partitions.json'), 'utf8')) as Record<
  string,
  number
>;

/** Below it are 99.9 % of the sums of squares of an even spread over 256 partitions. */
const chiSquareMax = 330.52;
const sample = 1_000_000;
const longMs = 60_000;

describe('rule TP21: the partition of a stream', () => {
  it('is what it was for 1,000 names', () => {
    const names = Object.keys(golden);
    expect(names).toHaveLength(1_000);
    expect(Object.fromEntries(names.map((name) => [name, ownerPartition(name)]))).toEqual(golden);
  });

  it('follows from the last two characters, of which the last one gives the lane', () => {
    expect(ownerPartition('session-ses_00')).toBe(0);
    expect(ownerPartition('session-ses_zz')).toBe(255);
    expect(ownerPartition('session-ses_4z')).toBe(249);
    expect(ownerPartition('session-ses_3z')).toBe(248);
    expect([laneOf('session-ses_4z'), laneOf('session-ses_z4')]).toEqual([31, 4]);
    expect(ownerPartition('session-ses_iZ')).toBe(8 * ('Z'.charCodeAt(0) % 32) + (('i'.charCodeAt(0) % 32) >> 2));
    expect([ownerPartition(''), ownerPartition('z')]).toEqual([0, 248]);
    for (const name of Object.keys(golden)) expect(Math.floor(ownerPartition(name) / 8)).toBe(laneOf(name));
  });

  it(
    'is even over a million ids',
    () => {
      const counts = new Array<number>(ownerPartitions).fill(0);
      for (let made = 0; made < sample; made += 1) {
        const partition = ownerPartition(`session-${derivedId('ses', 'salt', ['agent', String(made), '0'])}`);
        counts[partition] = (counts[partition] ?? 0) + 1;
      }
      const expected = sample / ownerPartitions;
      const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      expect(chiSquare).toBeLessThan(chiSquareMax);
      expect(chiSquare).toBeGreaterThan(0);
    },
    longMs,
  );

  it('is given to streams of sessions and interactions only', () => {
    expect(ownedPartition('session-ses_00')).toBe(0);
    expect(ownedPartition('interaction-iact_zz')).toBe(255);
    expect(ownedPartition('invocation-inv_zz')).toBeNull();
    expect(ownedPartition('sessionkey-zz')).toBeNull();
    expect(lanes * 8).toBe(ownerPartitions);
  });
});

const all = Array.from({ length: ownerPartitions }, (_, partition) => partition);
const members = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ address: `http://10.0.0.${index}:8080`, weight: 1 }));

describe('rule TP23: owners', () => {
  it.each([2, 3, 4, 8, 16])(
    'of %i members: one leaving moves its own partitions and no other, to all the rest',
    (count) => {
      const before = new OwnerMap(members(count));
      for (const { address: leaver } of members(count)) {
        const after = new OwnerMap(members(count).filter(({ address }) => address !== leaver));
        const moved = all.filter((partition) => before.owner(partition) !== after.owner(partition));
        expect(moved).toEqual(all.filter((partition) => before.owner(partition) === leaver));
        for (const partition of moved) expect(after.owner(partition)).toBe(before.order(partition)[1]);
        expect(moved.length).toBeGreaterThan(0);
      }
      const shares = members(count).map(({ address }) => all.filter((each) => before.owner(each) === address).length);
      const fair = ownerPartitions / count;
      for (const share of shares) expect(Math.abs(share - fair)).toBeLessThan(4 * Math.sqrt(fair) + 1);
    },
  );

  it('do not depend on the order in which members are named', () => {
    const forwards = new OwnerMap(members(5));
    const backwards = new OwnerMap(members(5).reverse());
    for (const partition of all) expect(backwards.order(partition)).toEqual(forwards.order(partition));
  });

  it('take over only from others as their weight rises, in proportion to it', () => {
    const at = (weight: number) => new OwnerMap([...members(4), { address: 'http://new:1', weight }]);
    let before = at(0);
    const shares: number[] = [];
    for (const weight of [0.25, 0.5, 0.75, 1]) {
      const now = at(weight);
      for (const partition of all)
        if (now.owner(partition) !== before.owner(partition)) expect(now.owner(partition)).toBe('http://new:1');
      shares.push(all.filter((partition) => now.owner(partition) === 'http://new:1').length);
      before = now;
    }
    expect([...shares].sort((a, b) => a - b)).toEqual(shares);
    expect(Math.abs((shares[3] ?? 0) - ownerPartitions / 5)).toBeLessThan(30);
    expect(shares[0]).toBeLessThan(ownerPartitions / 8);
  });

  it('are none where no member has weight', () => {
    const drained = new OwnerMap([{ address: 'a', weight: 0 }]);
    expect([drained.owner(7), drained.order(7)]).toEqual([null, []]);
    expect(new OwnerMap([]).owner(0)).toBeNull();
  });
});
