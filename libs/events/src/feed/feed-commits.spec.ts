import fc from 'fast-check';
import { sourcePosition, type SourceEvent } from '../publishing/envelope.wire.js';
import { commitsOf } from './feed-commits.js';

const position = (at: number) => String(at).padStart(20, '0');

/** Source events of recorded ones, of which each gives so many. */
const publishedOf = (counts: readonly number[]): SourceEvent[] =>
  counts.flatMap((count, at) =>
    Array.from({ length: count }, (_, index) => ({ position: sourcePosition(position(at), index) }) as SourceEvent),
  );

test('TP9: a commit of the feed has at most 2,000 rows, and ends behind a whole recorded event', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 800 }), (counts) => {
      const published = publishedOf(counts);
      const end = position(counts.length);
      const commits = commitsOf(published, end);
      expect(commits.flatMap(({ events }) => events)).toEqual(published);
      expect(commits.at(-1)?.to).toBe(end);
      for (const [index, { events, to }] of commits.entries()) {
        expect(events.length).toBeLessThan(2_000 + 40);
        const next = commits[index + 1]?.events[0];
        if (next) expect([events.at(-1)!.position.startsWith(to), next.position.startsWith(to)]).toEqual([true, false]);
      }
      expect(commits.length).toBeLessThanOrEqual(1 + published.length / 2_000);
    }),
  );
});

test('a batch that tells nothing is one commit without rows', () => {
  expect(commitsOf([], position(7))).toEqual([{ events: [], to: position(7) }]);
});
