import { textBytesMax } from './document.limits.js';

/** Enough text was taken: the rest of the document is not read. */
export class TextFull extends Error {}

const cutNote = '\n[cut: the document goes on]';

/** The text of a document as it is read, at most 1 MiB with the note that it was cut. */
export class GrowingText {
  private readonly pieces: string[] = [];
  private bytes = 0;
  private isCut = false;
  private last = '';

  /** Throws `TextFull` when there is no room for it. */
  add(piece: string): void {
    if (piece === '') return;
    const room = textBytesMax - cutNote.length - this.bytes;
    const size = Buffer.byteLength(piece);
    if (size > room) {
      this.pieces.push(beginning(Buffer.from(piece).subarray(0, room)));
      this.isCut = true;
      throw new TextFull('the text is full');
    }
    this.bytes += size;
    this.pieces.push(piece);
    this.last = piece.at(-1) ?? this.last;
  }

  /** Whether nothing stands on the last line yet. */
  get isLineStart(): boolean {
    return this.last === '' || this.last === '\n';
  }

  /** Begins a new line unless one has just begun. */
  line(): void {
    if (!this.isLineStart) this.add('\n');
  }

  get whole(): string {
    const text = this.pieces.join('').trimEnd();
    return this.isCut ? `${text}${cutNote}` : text;
  }
}

/**
 * A character that is cut in two at the end is left out. The kernel's `utf8Beginning` does the same; the process that
 * reads a document loads files of its own folder only.
 */
function beginning(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}
