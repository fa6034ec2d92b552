import { closeSync, openSync } from 'node:fs';

/**
 * Makes a file for its owner only when there is none: SQLite would make it as open as the process's mask allows. The
 * files that it puts beside it are as open as this one.
 */
export function makeOwnFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}
