/**
 * Whether a text has more than MAX characters. They are counted as `maxLength` of the contract counts them: a character
 * outside of the basic plane, which is two units of a string, is one.
 */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  return text.length > 2 * max || [...text].length > max;
}
