// Makes, once, what the services of a fleet share in SVC_DATA_DIR: the folder for blobs and a file with master keys.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.SVC_DATA_DIR || '/data';
const keys = join(folder, 'master-keys');

mkdirSync(join(folder, 'blobs'), { recursive: true, mode: 0o700 });
try {
  writeFileSync(keys, `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  console.log(`made ${keys}: keep a copy, nothing sealed can be read without it`);
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  console.log(`${keys} is there`);
}
