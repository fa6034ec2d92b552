/**
 * The text as bytes of UTF-8 can say it: half a character, which has none (`holdsHalfCharacter`), is U+FFFD. What is
 * put into a URI or a header must be one: `encodeURIComponent` throws for half a character.
 */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}
