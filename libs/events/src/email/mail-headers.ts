import type { AutomaticMail } from './email.events.js';

/** Headers of a mail by their name in lower case, each as often as it was there. */
export type MailHeaders = ReadonlyMap<string, readonly string[]>;

/** Message ids of a thread that are kept: the first, and the newest. Ours. */
const referencesMax = 50;
/** RFC 5322: characters of a line. */
const idCharactersMax = 998;

/** Takes names in any case, each with a value, in the order of the mail. */
export function headersByName(headers: Iterable<readonly [name: string, value: string]>): MailHeaders {
  const found = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const values = found.get(name.toLowerCase());
    if (values) values.push(value);
    else found.set(name.toLowerCase(), [value]);
  }
  return found;
}

/**
 * Whether a program wrote a mail, or it went to many; null: neither is said.
 *
 * Takes    `envelopeFrom`: null when it is not known.
 * Source   rule TE16; RFC 3834, sections 2 and 5.
 */
export function automaticMail(headers: MailHeaders, envelopeFrom: string | null): AutomaticMail | null {
  const words = (name: string) =>
    (headers.get(name) ?? []).map((value) => /^[^\s;(]*/.exec(value.trim().toLowerCase())?.[0] ?? '');
  if (words('auto-submitted').some((word) => word !== 'no')) return 'auto_submitted';
  if (headers.has('list-id')) return 'list';
  if (words('precedence').some((word) => word === 'bulk' || word === 'junk')) return 'bulk';
  return envelopeFrom === '' ? 'bounce' : null;
}

/**
 * The message ids in the text of a header, with their angle brackets. One that holds half a character names nothing:
 * two that differ in it alone would be one thread (ADR 62).
 */
export function messageIdsIn(text: string): string[] {
  return [...text.matchAll(/<[^<>\s\p{Surrogate}]+>/gu)]
    .map(([id]) => id)
    .filter(({ length }) => length <= idCharactersMax);
}

/** The ids of a thread that are kept: the first one names the thread. */
export function keptReferences(ids: readonly string[]): string[] {
  return ids.length <= referencesMax ? [...ids] : [...ids.slice(0, 1), ...ids.slice(1 - referencesMax)];
}

/** The sender of an envelope without its angle brackets. */
export function envelopeAddress(text: string): string {
  return text
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .trim();
}
