import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another process works in the data directory. */
export class DirectoryInUse extends Error {
  constructor(directory: string, options?: ErrorOptions) {
    super(`the data directory ${directory} is in use by another process: stop that one, or choose another directory`, options);
    this.name = 'DirectoryInUse';
  }
}

/**
 * Holds a data directory for this process alone, by a lock of the operating system that ends with the process, however it ends.
 *
 * Takes    the directory; it is made when missing, for the owner only.
 * Gives    how to let go.
 * Refuses  `DirectoryInUse`.
 */
export function holdDirectory(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(directory, 'lock.db'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new DirectoryInUse(directory, { cause: error });
  }
  return { release: () => { lock.close(); } };
}
