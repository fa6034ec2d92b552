import { Blobs, GenerationalCache, hash32, sha256Hex, StoreUnavailable, messageOf } from '@aos/kernel';
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const digestPattern = /^[0-9a-f]{64}$/;
/** Folders that are known to be on the disk, of 64 organizations; one that is forgotten is made sure of again. */
const syncedFoldersMax = 16_384;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Waits until the folder's list of names is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAside(path: string, bytes: Uint8Array): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  const file = await open(aside, 'wx', 0o600);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/**
 * Blobs as files: one folder an organization (named by a hash of its id, so that no id leads elsewhere), spread over
 * 256 folders in it.
 */
export class FileBlobs extends Blobs {
  private readonly syncedFolders = new GenerationalCache<true>(syncedFoldersMax);
  private readonly writing = new Map<string, Promise<void>>();

  constructor(private readonly directory: string) {
    super();
  }

  override async put(orgId: string, bytes: Uint8Array): Promise<string> {
    const digest = sha256Hex(bytes);
    const path = this.pathOf(orgId, digest);
    const underway = this.writing.get(path);
    if (underway) {
      await underway;
      return digest;
    }
    const write = this.write(path, digest, bytes).finally(() => {
      this.writing.delete(path);
    });
    this.writing.set(path, write);
    await write;
    return digest;
  }

  override async get(orgId: string, digest: string): Promise<Uint8Array | null> {
    if (!digestPattern.test(digest)) return null;
    const bytes = await this.read(this.pathOf(orgId, digest));
    if (bytes && sha256Hex(bytes) !== digest) throw new StoreUnavailable(`blob ${digest} is damaged on the disk`);
    return bytes;
  }

  /** After any write of the same bytes that is under way. Gone from the disk's list of names when it resolves. */
  override async remove(orgId: string, digest: string): Promise<void> {
    if (!digestPattern.test(digest)) return;
    const path = this.pathOf(orgId, digest);
    await this.writing.get(path)?.catch(() => undefined); // its writer is given the fault
    try {
      await rm(path);
      await syncFolder(dirname(path));
    } catch (error) {
      if (!isMissing(error)) throw unavailable(error);
    }
  }

  private pathOf(orgId: string, digest: string): string {
    return join(this.directory, hash32(orgId), digest.slice(0, 2), digest);
  }

  private async read(path: string): Promise<Buffer | null> {
    try {
      return await readFile(path);
    } catch (error) {
      if (isMissing(error)) return null;
      throw unavailable(error);
    }
  }

  /**
   * Whole and on the disk under its name, or not there: written aside, synced, renamed, folder synced. A damaged one is
   * replaced.
   */
  private async write(path: string, digest: string, bytes: Uint8Array): Promise<void> {
    const folder = dirname(path);
    try {
      await this.makeFolder(folder);
      const present = await readFile(path).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (present && sha256Hex(present) === digest) {
        await syncFolder(folder); // a crash may have come between its rename and the sync
        return;
      }
      await writeAside(path, bytes);
      await syncFolder(folder);
    } catch (error) {
      throw unavailable(error);
    }
  }

  private async makeFolder(folder: string): Promise<void> {
    if (this.syncedFolders.get(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const parent of [dirname(folder), this.directory, dirname(this.directory)]) await syncFolder(parent);
    this.syncedFolders.set(folder, true);
  }
}

function unavailable(error: unknown): StoreUnavailable {
  return new StoreUnavailable(`blobs: ${messageOf(error)}`, { cause: error });
}
