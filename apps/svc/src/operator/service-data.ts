import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SettingsRefused, type Settings } from '@aos/platform';

/**
 * Asks for the data of a service at a path: an operator's command finds what a service made, and makes neither a folder
 * nor keys.
 *
 * Refuses  `SettingsRefused` for a path that holds no log, and for a log without the keys that its secrets are sealed
 *          with.
 */
export function requireServiceData({ dataDir, masterKeys }: Settings): void {
  const folder = resolve(dataDir);
  if (!existsSync(join(folder, 'log.db')))
    throw new SettingsRefused([
      `SVC_DATA_DIR: ${folder} holds no service's data: start the service there first, or name its folder`,
    ]);
  if (masterKeys === null && !existsSync(join(folder, 'master-keys'))) {
    throw new SettingsRefused([
      `SVC_MASTER_KEYS: ${folder} holds no master keys: give those that the service runs with`,
    ]);
  }
}
