import type { Readable, Writable } from 'node:stream';

type Output = Writable & { isTTY?: boolean; columns?: number };
type Input = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/** What the program reads and writes: the process' own streams, or those of a test. */
export type Io = { input: Input; out: Output; error: Output; env: Readonly<Record<string, string | undefined>> };

/** Width of a window that does not say its own. */
const columnsDefault = 80;

/** A person sits there: both ends are a terminal. */
export function isInteractive({ input, out }: Io): boolean {
  return input.isTTY === true && out.isTTY === true;
}

/** Columns that a table may take: those of the window, and as many as it wants in a file or a pipe. */
export function tableWidthOf(output: Output): number {
  return output.isTTY === true ? columnsOf(output) : Infinity;
}

export function columnsOf(output: Output): number {
  return output.columns !== undefined && output.columns > 0 ? output.columns : columnsDefault;
}

/** Colours on a terminal, unless `NO_COLOR` or `TERM=dumb` says otherwise. */
export function hasColours(output: Output, { NO_COLOR: noColour, TERM: term }: Io['env']): boolean {
  return output.isTTY === true && (noColour ?? '') === '' && term !== 'dumb';
}
