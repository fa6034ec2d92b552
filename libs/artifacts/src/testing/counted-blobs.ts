import { MemoryBlobs } from '@aos/adapters/memory';

/** Knows the blobs that are there. */
export class CountedBlobs extends MemoryBlobs {
  readonly there = new Set<string>();

  override async put(org: string, bytes: Uint8Array): Promise<string> {
    const digest = await super.put(org, bytes);
    this.there.add(digest);
    return digest;
  }

  override async remove(org: string, digest: string): Promise<void> {
    await super.remove(org, digest);
    this.there.delete(digest);
  }
}
