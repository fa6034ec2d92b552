import type { Ids } from './ids.js';

const idCount = 2000;

/** The Ids port's suite. */
export function idsContract(name: string, open: () => Ids): void {
  describe(`Ids: ${name}`, () => {
    let ids: Ids;
    beforeEach(() => {
      ids = open();
    });

    test('ulids have 26 characters, are unique, and sort by time of making', () => {
      const made = Array.from({ length: idCount }, () => ids.ulid());
      for (const id of made) expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
      expect(new Set(made).size).toBe(idCount);
      expect([...made].sort()).toEqual(made);
    });

    test('uuids are well-formed and unique', () => {
      const made = Array.from({ length: idCount }, () => ids.uuid());
      for (const id of made)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(new Set(made).size).toBe(idCount);
    });

    test('random bytes are as many as asked for, and others each time', () => {
      for (const count of [0, 1, 16, 33, 10_000]) expect(ids.randomBytes(count)).toHaveLength(count);
      const [one, two] = [ids.randomBytes(32), ids.randomBytes(32)];
      expect(one).not.toEqual(two);
      const before = Uint8Array.from(two);
      one.fill(0);
      expect(Uint8Array.from(two)).toEqual(before);
    });

    test('kinds of names do not disturb one another', () => {
      const made = Array.from({ length: 100 }, () => {
        ids.uuid();
        ids.randomBytes(8);
        return ids.ulid();
      });
      expect([...new Set(made)].sort()).toEqual(made);
    });
  });
}
