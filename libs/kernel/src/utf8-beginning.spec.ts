import { utf8Beginning } from './utf8-beginning.js';

describe('the beginning of a text in UTF-8', () => {
  it.each([
    ['abc', 2, 'ab'],
    ['abc', 9, 'abc'],
    ['aü', 2, 'a'],
    ['a€', 3, 'a'],
    ['a😀', 4, 'a'],
    ['a😀', 5, 'a😀'],
    ['\ufeffa', 4, '\ufeffa'],
    ['a\ufffd', 4, 'a\ufffd'],
  ])('of %j in %i bytes is %j', (text, bytesMax, beginning) => {
    expect(utf8Beginning(Buffer.from(text), bytesMax)).toBe(beginning);
  });
});
