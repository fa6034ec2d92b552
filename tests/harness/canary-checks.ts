import type { PlantedConnections } from './planted-connections.js';
import { type Found, type SecretSearch, filesWith } from './secret-search.js';
import type { TraceSink } from './trace-sink.js';
import { eventually } from './waiting.js';

/** What suites of every composition look through for secrets of connections. */
export interface Canaries {
  search: SecretSearch;
  planted: PlantedConnections;
  /** In answers, as they came. */
  found: readonly Found[];
}

/** Answers, streams, feed, measures, callbacks and what a worker was given; each place has what an endpoint echoed. */
export function expectNoneRead({ search, planted, found }: Canaries): void {
  expect(search.count).toBeGreaterThan(60);
  for (const place of ['the whole feed', 'a callback', 'frames of a worker'])
    expect([place, planted.read.get(place)]).toEqual([place, expect.stringContaining('[redacted]')]);
  const inPlaces = [...planted.read].flatMap(([place, bytes]) => search.in(place, bytes));
  expect([...found, ...inPlaces]).toEqual([]);
}

/** Requests and mails: each secret comes to its own address only, and in no body but an ask for a token. */
export function expectNoneSentElsewhere({ planted }: Canaries): void {
  expect(planted.wronglySent()).toEqual([]);
}

/** Files of a folder, which must hold the marker where `holders` says, and spans, which must tell of `span`. */
export async function expectNoneKept(
  { search, planted }: Canaries,
  { folder, holders, traces, span }: { folder: string; holders: readonly string[]; traces: TraceSink; span: string },
): Promise<void> {
  const marked = filesWith(folder, planted.marker);
  for (const holder of holders) expect([holder, marked.some((path) => path.includes(holder))]).toEqual([holder, true]);
  expect(search.inFiles(folder)).toEqual([]);
  await eventually('spans', () => Promise.resolve(traces.bytes().includes(span)));
  expect(search.in('a span', traces.bytes())).toEqual([]);
}
