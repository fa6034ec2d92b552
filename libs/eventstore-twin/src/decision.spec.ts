import { decide } from './decision.js';
import type { Decision, Expected, StreamFacts } from './decision.js';

const none: StreamFacts = {
  last: -1,
  tombstoned: false,
  softDeleted: false,
  hasMetadata: false,
  idAt: () => undefined,
  recentRevision: () => undefined,
};

/** A stream that holds these ids from revision 0; only `remembered` of them are in the server's memory. */
function holding(ids: string[], remembered: string[] = ids): StreamFacts {
  return {
    ...none,
    last: ids.length - 1,
    idAt: (revision) => ids[revision],
    recentRevision: (id) => (remembered.includes(id) ? ids.indexOf(id) : undefined),
  };
}

const write = (first: number): Decision => ({ kind: 'write', first });
const repeat = (first: number, last: number): Decision => ({ kind: 'repeat', first, last });
const conflict = (current: number): Decision => ({ kind: 'conflict', current });

const rows: [string, Expected, string[], StreamFacts, Decision][] = [
  ['no stream, none expected', 'no_stream', ['a'], none, write(0)],
  ['the exact revision', 1, ['c'], holding(['a', 'b']), write(2)],
  ['a higher revision', 5, ['c'], holding(['a', 'b']), conflict(1)],
  ['a revision of a stream that is not there', 0, ['a'], none, conflict(-1)],
  ['the same ids at the same revision', 0, ['b', 'c'], holding(['a', 'b', 'c', 'd']), repeat(1, 2)],
  ['the same ids at none', 'no_stream', ['a', 'b'], holding(['a', 'b', 'c']), repeat(0, 1)],
  ['the same ids that the memory has lost', 'no_stream', ['a'], holding(['a', 'b'], []), repeat(0, 0)],
  ['other ids at an old revision', 0, ['x'], holding(['a', 'b']), conflict(1)],
  ['ids that agree in their first part', 'no_stream', ['a', 'x'], holding(['a', 'b']), conflict(1)],
  ['ids that go on past the end', 'no_stream', ['a', 'b', 'c'], holding(['a', 'b']), conflict(1)],
  ['ids that agree at another place', 'no_stream', ['b'], holding(['a', 'b']), conflict(1)],
  ['any, unknown ids', 'any', ['x'], holding(['a']), write(1)],
  ['any, remembered ids', 'any', ['a', 'b'], holding(['a', 'b', 'c']), repeat(0, 1)],
  ['any, ids that were forgotten are written twice', 'any', ['a'], holding(['a', 'b'], []), write(2)],
  ['any, a mixture', 'any', ['a', 'x'], holding(['a']), conflict(0)],
  ['any, no events', 'any', [], holding(['a']), write(1)],
  ['stream exists, it does', 'stream_exists', ['b'], holding(['a']), write(1)],
  ['stream exists, it does not', 'stream_exists', ['a'], none, conflict(-1)],
  ['stream exists by its metadata alone', 'stream_exists', ['a'], { ...none, hasMetadata: true }, write(0)],
  ['stream exists, softly deleted', 'stream_exists', ['b'], { ...holding(['a']), softDeleted: true }, conflict(0)],
  [
    'none on a softly deleted stream goes on counting',
    'no_stream',
    ['b'],
    { ...holding(['a']), softDeleted: true },
    write(1),
  ],
  ['a tombstone, exact', 0, ['b'], { ...holding(['a']), tombstoned: true }, { kind: 'deleted' }],
  ['a tombstone, any', 'any', ['b'], { ...holding(['a']), tombstoned: true }, { kind: 'deleted' }],
  ['no events at an old revision', 0, [], holding(['a', 'b']), write(2)],
];

test.each(rows)('%s', (_, expected, ids, facts, decision) => {
  expect(decide(expected, ids, facts)).toEqual(decision);
});
