import { Blobs, sha256Hex } from '@aos/kernel';

/** Blobs that live as long as the object. */
export class MemoryBlobs extends Blobs {
  private readonly kept = new Map<string, Uint8Array>();

  override async put(orgId: string, bytes: Uint8Array): Promise<string> {
    const digest = sha256Hex(bytes);
    this.kept.set(`${orgId}\u001f${digest}`, Uint8Array.from(bytes));
    return digest;
  }

  override async get(orgId: string, digest: string): Promise<Uint8Array | null> {
    const bytes = this.kept.get(`${orgId}\u001f${digest}`);
    return bytes ? Uint8Array.from(bytes) : null;
  }

  override async remove(orgId: string, digest: string): Promise<void> {
    this.kept.delete(`${orgId}\u001f${digest}`);
  }
}
