import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartFault, messageOf } from '@aos/kernel';
import { makeOwnFile } from './own-file.js';

const sqliteBusy = 5;

/** Another process works in the data directory. */
export class DirectoryInUse extends StartFault {
  override readonly name = 'DirectoryInUse';

  constructor(directory: string, options?: ErrorOptions) {
    super(
      `SVC_DATA_DIR: the folder ${directory} is in use by another process: stop that one, or choose another folder.`,
      options,
    );
  }
}

/**
 * Holds a data directory for this process alone, by a lock of the operating system that ends with the process, however
 * it ends.
 *
 * Takes    the directory; it is made when missing, for the owner only.
 * Gives    how to let go.
 * Refuses  `DirectoryInUse`; `StartFault` when its file cannot be locked for another reason.
 */
export function holdDirectory(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'lock.db');
  makeOwnFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new DirectoryInUse(directory, { cause: error });
    throw new StartFault(`SVC_DATA_DIR: ${file} cannot be locked: ${messageOf(error)}.`, { cause: error });
  }
  return {
    release: () => {
      lock.close();
    },
  };
}

/** Extended codes have the code in their low byte. */
function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' && (code & 0xff) === sqliteBusy;
}
