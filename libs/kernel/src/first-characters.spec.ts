import { firstCharacters } from './first-characters.js';

it.each([
  ['abc', 5, 'abc'],
  ['abc', 2, 'ab'],
  ['a\u{1F600}b', 2, 'a\u{1F600}'],
  ['\u{1F600}\u{1F600}\u{1F600}', 2, '\u{1F600}\u{1F600}'],
  ['abc', 0, ''],
])('the first characters of %j, at most %i, are %j', (text, max, first) => {
  expect(firstCharacters(text, max)).toBe(first);
});
