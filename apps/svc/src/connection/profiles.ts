import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { Complaint } from '../console/complaint.js';

export type Profile = { url: string; key?: string };
export type Profiles = { current: string; profiles: Record<string, Profile>; webhook_secret?: string };

const defaultProfile = 'default';
const fileBytesMax = 256 * 1024;
const ownerOnly = 0o600;
const ownerFolder = 0o700;
const othersMask = 0o077;

/** The file of profiles: `~/.config/svc/config.yaml`, or below `XDG_CONFIG_HOME`. */
export function profilesPath({ XDG_CONFIG_HOME: config = '', HOME: home = '' }: NodeJS.ProcessEnv): string {
  return join(config !== '' ? config : join(home !== '' ? home : homedir(), '.config'), 'svc', 'config.yaml');
}

/** Reads the file; empty profiles where there is none. Refuses one that cannot be read as such. */
export function readProfiles(path: string): Profiles {
  if (!existsSync(path)) return { current: defaultProfile, profiles: {} };
  if (statSync(path).size > fileBytesMax) throw broken(path, `it is larger than ${fileBytesMax} bytes`);
  const document = parseDocument(readFileSync(path, 'utf8'));
  const [fault] = document.errors;
  if (fault) throw broken(path, fault.message);
  const value: unknown = document.toJS();
  if (!isProfiles(value)) throw broken(path, 'it must have `current` and `profiles`, each profile with `url`');
  return value;
}

function broken(path: string, why: string): Complaint {
  return new Complaint(`${path} cannot be read as profiles: ${why}`, [
    'Correct the file, or remove it and log in again: svc login',
  ]);
}

function isProfiles(value: unknown): value is Profiles {
  if (!isRecord(value) || typeof value.current !== 'string' || !isRecord(value.profiles)) return false;
  if (value.webhook_secret !== undefined && typeof value.webhook_secret !== 'string') return false;
  return Object.values(value.profiles).every(
    (profile) =>
      isRecord(profile) &&
      typeof profile.url === 'string' &&
      (profile.key === undefined || typeof profile.key === 'string'),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes the file whole or not at all, for its owner only. */
export function writeProfiles(path: string, profiles: Profiles): void {
  mkdirSync(dirname(path), { recursive: true, mode: ownerFolder });
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, stringify(profiles), { mode: ownerOnly });
    chmodSync(draft, ownerOnly);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether others of this machine could read the keys; never where the system has no such modes. */
export function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && existsSync(path) && (statSync(path).mode & othersMask) !== 0;
}
