import type { LetterReading, LetterWork } from './letters.js';
import { readLetter } from './read-letter.js';

/** Of a mail's headers, so many are handed over. */
const headersMax = 1_000;

/** Runs in a process of the mail's own. */
export async function read({ bytes }: LetterWork): Promise<LetterReading> {
  try {
    const letter = await readLetter(bytes);
    return { letter: { ...letter, headers: letter.headers.slice(0, headersMax), headerLines: [] } };
  } catch (error) {
    return { failure: String(error) };
  }
}
