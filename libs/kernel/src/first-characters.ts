/** The first MAX characters of a text, counted as `isLongerThan` counts them: none is cut in two. */
export function firstCharacters(text: string, max: number): string {
  return [...text.slice(0, 2 * max)].slice(0, max).join(''); // a character takes two units at most
}
