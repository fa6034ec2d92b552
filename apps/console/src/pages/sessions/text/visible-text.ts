/**
 * Terminal sequences: CSI (`ESC [ ... letter`, also with its one-character form), OSC (until BEL or ST), others of two
 * characters.
 */
const ansi =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;
/**
 * Characters that are not seen and change what is: bidirectional controls, which put text in another order, invisible
 * ones that make two texts look the same, tag characters, control characters but tab and line break. The joiners of
 * scripts and emoji (U+200C, U+200D) stay.
 */
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Text as it may be shown: without terminal sequences, and with each hidden character named in its place. */
export function visibleText(text: string): string {
  return text
    .replace(ansi, '')
    .replace(/\r\n?/g, '\n')
    .replace(hidden, (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}
