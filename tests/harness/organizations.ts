import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client, underTest } from './client.js';

const root = join(__dirname, '..', '..');
const built = join(root, 'dist', 'apps', 'svc', 'src', 'main.js');

/**
 * The Owner of another organization of the service under test: `OTHER_OWNER_KEY`, or a new organization, made as
 * operators make one: by the command line in `SVC_COMMAND` (words, separated by blanks), or on the data in
 * `SERVICE_DATA_DIR`. Throws when no way is open.
 */
export function anotherOwner(name: string): Client {
  const { baseUrl } = underTest();
  const { OTHER_OWNER_KEY: key, SVC_COMMAND: command, SERVICE_DATA_DIR: folder } = process.env;
  if (key) return new Client(baseUrl, key);
  if (!command && !folder)
    throw new Error(
      'OTHER_OWNER_KEY is an Owner key of a second organization, or SVC_COMMAND or SERVICE_DATA_DIR says how to make one',
    );
  const here = [process.execPath, ...(existsSync(built) ? [built] : [join(root, 'tools', 'start.mjs'), 'svc'])];
  const [program = '', ...args] = command ? command.split(' ') : here;
  const made = spawnSync(program, [...args, 'org', 'create', name], {
    encoding: 'utf8',
    env: { ...process.env, ...(folder ? { SVC_DATA_DIR: folder } : {}) },
  });
  if (made.status !== 0) throw new Error(`no second organization:\n${made.stderr}`);
  return new Client(baseUrl, (JSON.parse(made.stdout) as { owner_key: string }).owner_key);
}
