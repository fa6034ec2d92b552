import { parentPort, workerData } from 'node:worker_threads';
import type { LetterReading, LetterWork } from './letters.js';
import { readLetter } from './read-letter.js';

/** Of a mail's headers, so many are handed over. */
const headersMax = 1_000;

async function reading({ bytes }: LetterWork): Promise<LetterReading> {
  try {
    const letter = await readLetter(bytes);
    return { letter: { ...letter, headers: letter.headers.slice(0, headersMax), headerLines: [] } };
  } catch (error) {
    return { failure: String(error) };
  }
}

parentPort?.postMessage('ready');
void reading(workerData as LetterWork).then((read) => parentPort?.postMessage(read));
