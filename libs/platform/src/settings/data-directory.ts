import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartFault } from '@aos/kernel';

const folderMode = 0o700;
const fileMode = 0o600;
const othersBits = 0o077;
/** Refused where it is read when others can read it: what they may have seen is not made secret again by a mode. */
const masterKeysFile = 'master-keys';

/**
 * Makes the folder of the embedded files ready.
 *
 * Takes    the path of `SVC_DATA_DIR`; it is made when it is missing.
 * Gives    what could not be closed to other users (a folder that another user owns): a sentence each. All else in it
 *          is for the owner only, also what earlier releases left open: the folder 0700, its files 0600.
 * Refuses  `StartFault` for a path that cannot be made, is no folder, or cannot be written.
 */
export function prepareDataDirectory(dataDir: string): string[] {
  const folder = resolve(dataDir);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new StartFault(`SVC_DATA_DIR: the folder ${folder} cannot be made (${codeOf(error)}).`, { cause: error });
  }
  requireWritable(folder);
  if (process.platform === 'win32') return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== masterKeysFile,
  );
  const wanted: [string, number][] = [
    [folder, folderMode],
    ...files.map(({ name }): [string, number] => [join(folder, name), fileMode]),
  ];
  return wanted.flatMap(([path, mode]) => closeToOthers(path, mode));
}

/**
 * One level after the other: `mkdir` with `recursive` tries for ever where the system says that a folder's parent,
 * which is there, is not (`/proc`).
 */
function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = folder; !isFolder(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) mkdirSync(path, { mode: folderMode });
}

/** Throws for what is there and is no folder, and for what cannot be looked at. */
function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' });
  return found !== undefined;
}

function requireWritable(folder: string): void {
  const probe = join(folder, `.writable-${process.pid}`);
  try {
    closeSync(openSync(probe, 'w', fileMode));
    rmSync(probe);
  } catch (error) {
    throw new StartFault(`SVC_DATA_DIR: the folder ${folder} cannot be written (${codeOf(error)}).`, { cause: error });
  }
}

function closeToOthers(path: string, mode: number): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || (found.mode & othersBits) === 0) return [];
  try {
    chmodSync(path, mode);
    return [];
  } catch (error) {
    return [`SVC_DATA_DIR: ${path} is open to other users and cannot be closed to them (${codeOf(error)})`];
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
