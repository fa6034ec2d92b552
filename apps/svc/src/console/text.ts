import { styleText } from 'node:util';

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (colour: Colour, text: string) => string;

/** Takes whether there are colours; gives what colours a text. */
export function painter(hasColour: boolean): Paint {
  return (colour, text) => (hasColour ? styleText(colour, text, { validateStream: false }) : text);
}

/** Control characters, and the marks that turn the direction of writing around. */
const control = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const kept: ReadonlySet<string> = new Set(['\n', '\t']);

/**
 * Text of others as a terminal may show it: an escape sequence in a name or an answer would else move the cursor,
 * change the title or hide what stands there.
 */
export function shown(text: string): string {
  return text.replace(control, (character) =>
    kept.has(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same on one line, for a cell of a table. */
export function shownOnLine(text: string): string {
  return shown(text.replace(/\s*\n\s*/g, ' '));
}
