import { unzipSync } from 'fflate';
import { entriesMax, inflatedBytesMax } from './document.limits.js';

/** A document that is not read, and why, in words for the model. */
export class DocumentFault extends Error {}

/**
 * The parts of an office file that are wanted, inflated. The declared sizes are summed before anything is inflated, and
 * no part grows past what it declares.
 *
 * Refuses  `DocumentFault` for bytes that are no such file, over 2,000 entries and over 64 MiB.
 */
export function officeParts(bytes: Uint8Array, isWanted: (name: string) => boolean): ReadonlyMap<string, Uint8Array> {
  let entries = 0;
  let inflated = 0;
  const parts = unzipped(bytes, ({ name, originalSize }) => {
    entries += 1;
    if (entries > entriesMax) throw new DocumentFault(`it has over ${entriesMax} entries`);
    if (!isWanted(name)) return false;
    inflated += originalSize;
    if (inflated > inflatedBytesMax) throw new DocumentFault(`it inflates to over ${inflatedBytesMax} bytes`);
    return true;
  });
  return new Map(Object.entries(parts));
}

type Filter = (entry: { name: string; originalSize: number }) => boolean;

function unzipped(bytes: Uint8Array, filter: Filter): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof DocumentFault) throw error;
    throw new DocumentFault('it is damaged');
  }
}

/** Parts of this form in the order of the number in their names. */
export function numberedParts(
  parts: ReadonlyMap<string, Uint8Array>,
  form: RegExp,
): { number: number; xml: Uint8Array }[] {
  return [...parts]
    .flatMap(([name, xml]) => {
      const number = form.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), xml }];
    })
    .sort((one, other) => one.number - other.number);
}
