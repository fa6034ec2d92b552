import { StoreUnavailable } from '@aos/kernel';
import { blobsContract } from '@aos/kernel/contracts';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileBlobs } from './file-blobs.js';

function temporary() {
  const directory = mkdtempSync(join(tmpdir(), 'aos-blobs-'));
  return {
    directory,
    close: async () => {
      rmSync(directory, { recursive: true });
    },
  };
}

blobsContract('files', async () => {
  const { directory, close } = temporary();
  return { blobs: new FileBlobs(join(directory, 'blobs')), close };
});

const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('an organization id never leads out of the directory', async () => {
  const { directory, close } = temporary();
  const inside = join(directory, 'blobs');
  await new FileBlobs(inside).put('../../outside', Buffer.from('x'));
  expect(readdirSync(directory)).toEqual(['blobs']);
  expect(filesIn(inside)).toHaveLength(1);
  await close();
});

test('a damaged file is not given out, and is replaced by the next put; nothing is left aside', async () => {
  const { directory, close } = temporary();
  const blobs = new FileBlobs(directory);
  const digest = await blobs.put('org_1', Buffer.from('precious'));
  const file = filesIn(directory)[0]!;
  writeFileSync(join(file.parentPath, file.name), 'precio');
  await expect(blobs.get('org_1', digest)).rejects.toBeInstanceOf(StoreUnavailable);
  await blobs.put('org_1', Buffer.from('precious'));
  expect(Buffer.from((await blobs.get('org_1', digest))!).toString()).toBe('precious');
  expect(filesIn(directory)).toHaveLength(1);
  await close();
});

test('a directory that cannot be written is StoreUnavailable', async () => {
  const { directory, close } = temporary();
  writeFileSync(join(directory, 'a-file'), '');
  await expect(new FileBlobs(join(directory, 'a-file', 'blobs')).put('org_1', Buffer.from('x'))).rejects.toBeInstanceOf(
    StoreUnavailable,
  );
  await close();
});
