import { previewCharactersMax } from './invocation.limits.js';
import { shownOutput, shownParameters } from './shown.decide.js';

const output = (length: number) => ({ a: '\u{1F600}'.repeat(length) });
/** Characters of the JSON around the text. */
const around = JSON.stringify(output(0)).length;

describe('what a record shows of a large input or output', () => {
  it('ends with a whole character, even or odd as its place is', () => {
    for (const name of ['a', 'ab']) {
      const one = { [name]: '\u{1F600}'.repeat(4000) };
      for (const { preview } of [shownOutput(one, null), shownParameters(one)]) {
        expect(String(preview).isWellFormed()).toBe(true);
        expect([...String(preview)]).toHaveLength(previewCharactersMax);
      }
    }
  });

  it('is whole, and says so, up to that many characters', () => {
    const whole = output(previewCharactersMax - around);
    expect(shownOutput(whole, null)).toMatchObject({ preview: JSON.stringify(whole), truncated: false });
    expect(shownOutput(output(previewCharactersMax - around + 1), null)).toMatchObject({ truncated: true });
  });
});
