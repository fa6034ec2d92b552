import { invalidArgument } from './refusal.js';

const halfCharacter = /\p{Surrogate}/u;

/**
 * Whether a text holds one half of a surrogate pair without the other. Such a text has no bytes of its own: written as
 * UTF-8 each half becomes the same replacement, so that two texts that differ in it alone would be one (ADR 62).
 */
export function holdsHalfCharacter(text: string): boolean {
  return halfCharacter.test(text);
}

/**
 * For texts that become part of a key.
 *
 * Refuses  invalid_argument {argument, reason: half_character} for one that is no Unicode text (ADR 62).
 */
export function requireWholeCharacters(argument: string, text: string): void {
  if (holdsHalfCharacter(text)) throw invalidArgument(argument, 'holds half a character', { reason: 'half_character' });
}
