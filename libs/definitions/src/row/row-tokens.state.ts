import { firstCharacters, type Json } from '@aos/kernel';

/** Words of one row that are searched, their characters, and the characters of a row's text that are looked at. */
export const tokensMax = 256;
const tokenMax = 64;
const searchedTextMax = 16_384;

const word = /[\p{L}\p{N}]+/gu;

/** The words of a text, lower case, each once. */
export function wordsOf(text: string, max = tokensMax): string[] {
  const found = new Set<string>();
  for (const [match] of text.slice(0, searchedTextMax).normalize('NFC').toLowerCase().matchAll(word)) {
    found.add(firstCharacters(match, tokenMax));
    if (found.size >= max) break;
  }
  return [...found];
}

/** The words of all text in a value, at any depth. */
export function tokensOf(value: Json): string[] {
  const texts: string[] = [];
  let length = 0;
  const gather = (inner: Json): void => {
    if (length > searchedTextMax) return;
    if (typeof inner === 'string') {
      texts.push(inner);
      length += inner.length + 1;
    } else if (typeof inner === 'object' && inner !== null) {
      for (const part of Array.isArray(inner) ? inner : Object.values(inner)) gather(part);
    }
  };
  gather(value);
  return wordsOf(texts.join(' '));
}
