import type { AnyEvent } from '@aos/kernel';
import { OwnEvents } from './own-events.js';

const stream = 'session-ses_a';
const event = (text: string): AnyEvent => ({ type: 'Said', data: { text } });
const appended = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => event(`event ${from + index}`));
const at = (revision: number) => ({ ...event(`event ${revision}`), revision });

const bytes = 100;

let own: OwnEvents;
beforeEach(() => {
  own = new OwnEvents();
});

it('TP14: gives a range of what was appended in a row, and no more', () => {
  own.note(stream, 0, appended(0, 2), bytes);
  own.note(stream, 3, appended(3, 3), bytes);
  expect(own.between(stream, 1, 3)).toEqual([at(1), at(2), at(3)]);
  expect(own.between(stream, 1, 4)).toBeNull();
  expect(own.between('session-ses_b', 0, 0)).toBeNull();
});

it('TP14: a gap, which another process wrote, ends the row', () => {
  own.note(stream, 0, appended(0, 1), bytes);
  own.note(stream, 3, appended(3, 4), bytes);
  expect(own.between(stream, 1, 4)).toBeNull();
  expect(own.between(stream, 3, 4)).toEqual([at(3), at(4)]);
});

it('TP14: an append that is not kept ends the row', () => {
  own.note(stream, 0, appended(0, 1), bytes);
  own.drop(stream);
  expect(own.between(stream, 0, 1)).toBeNull();
});

it('keeps at most 64 events of a stream', () => {
  for (let revision = 0; revision < 70; revision += 1) own.note(stream, revision, appended(revision, revision), bytes);
  expect(own.between(stream, 60, 69)).toBeNull();
  expect(own.between(stream, 64, 69)).toHaveLength(6);
});

it('keeps at most 4 MiB of all streams together', () => {
  const large = { type: 'Said', data: { text: 'x'.repeat(60_000) } };
  for (let index = 0; index < 200; index += 1) own.note(`session-${index}`, 0, [large], 60_000);
  const kept = Array.from({ length: 200 }, (_, index) => own.between(`session-${index}`, 0, 0)).filter(Boolean);
  expect(kept.length).toBeLessThanOrEqual(70);
  expect(own.between('session-199', 0, 0)).not.toBeNull();
});
