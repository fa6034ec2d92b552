import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Publisher } from '@aos/kernel';
import { publishers } from '../publishing/publishers.js';
import { buildCollection, feedCollection, retiredFeeds } from './feed.projection.js';

/** What publishers tell, by the version of the feed that holds it. */
type Golden = Record<string, string[]>;

const file = join(__dirname, 'golden', 'feed-types.json');
const isWriting = process.env['GOLDEN_NAMES'] === 'write';

/** One line for each type of a family, and one for each stream with the events that it publishes. */
function toldBy(all: readonly Publisher[]): string[] {
  const families = [...new Set(all.flatMap(({ family }) => family ?? []))];
  const types = families.flatMap((family) => family.types);
  return [
    ...types.map(({ name, sourceKind, schema, routing }) => [name, sourceKind, schema, ...routing].join(' ')),
    ...all.map(({ prefix, publishes }) => [prefix, ...[...publishes].sort()].join(' ')),
  ].sort();
}

/** What is wrong with the record; nothing when what is told stands under the current version. */
function faultsOf(golden: Golden, current: string, retired: readonly string[], told: readonly string[]): string[] {
  const recorded = golden[current];
  const unretired = Object.keys(golden).filter((version) => version !== current && !retired.includes(version));
  return [
    ...(recorded === undefined ? [`${current} is new: GOLDEN_NAMES=write npm test -- libs/events/src/feed`] : []),
    ...(recorded !== undefined && recorded.join('\n') !== told.join('\n')
      ? [`publishers tell other things than ${current} holds: feedCollection needs a new version`]
      : []),
    ...unretired.map((version) => `${version} is not in retiredFeeds: its rows would stay for ever`),
  ];
}

describe('version of the feed', () => {
  const told = toldBy(publishers);
  const read = JSON.parse(readFileSync(file, 'utf8')) as Golden;
  const golden = isWriting ? { [feedCollection]: told, ...read } : read;
  if (isWriting) writeFileSync(file, `${JSON.stringify(golden, null, 2)}\n`);

  it('is a new one when publishers tell other things', () => {
    expect(faultsOf(golden, feedCollection, retiredFeeds, told)).toEqual([]);
  });

  it('is the version of the row that says whether the feed is whole', () => {
    expect(buildCollection).toBe(feedCollection.replace('source_events@', 'source_events_build@'));
  });

  it('that stayed, has no record, or was not retired is found', () => {
    const [first, ...others] = publishers;
    const more: Publisher[] = [{ ...first!, publishes: new Set(['More', ...first!.publishes]) }, ...others];
    expect(faultsOf(golden, feedCollection, retiredFeeds, toldBy(more))).toEqual([
      `publishers tell other things than ${feedCollection} holds: feedCollection needs a new version`,
    ]);
    const family = { prefix: 'new', displayName: '', description: '', types: [] };
    const type = { name: 'new.thing.done', description: '', sourceKind: 'new', schema: 'New', routing: [] };
    const named: Publisher[] = [{ ...first!, family: { ...family, types: [type] } }, ...others];
    expect(faultsOf(golden, feedCollection, retiredFeeds, toldBy(named))).toHaveLength(1);
    expect(faultsOf(golden, 'next', [feedCollection, ...retiredFeeds], told)).toEqual([
      'next is new: GOLDEN_NAMES=write npm test -- libs/events/src/feed',
    ]);
    expect(faultsOf({ ...golden, next: told }, 'next', retiredFeeds, told)).toEqual([
      `${feedCollection} is not in retiredFeeds: its rows would stay for ever`,
    ]);
  });
});
