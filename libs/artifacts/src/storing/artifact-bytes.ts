import { Injectable } from '@nestjs/common';
import { Blobs, Refusal, StoreUnavailable, sha256Hex } from '@aos/kernel';
import { nonceBytes, pieceBytes } from '../artifact/artifact.limits.js';
import type { Piece } from '../artifact/artifact.events.js';

/** Pieces whose removal is under way at once. */
const removalsAtOnce = 4;

/** From the first byte to the last one, both included. */
export interface ByteRange {
  from: number;
  to: number;
}

/** The pieces of artifacts in the store: put, read as a range of the file, removed (rule TE3). */
@Injectable()
export class ArtifactBytes {
  constructor(private readonly blobs: Blobs) {}

  /** Refuses  artifact_storage_unavailable. */
  async put(orgId: string, bytes: Uint8Array): Promise<void> {
    await unavailableAs(() => this.blobs.put(orgId, bytes));
  }

  /**
   * The bytes of a range, a piece at a time; nothing is read before it is asked for.
   *
   * Refuses  artifact_storage_unavailable when the store does not answer or has lost a piece.
   */
  async *read(orgId: string, pieces: readonly Piece[], { from, to }: ByteRange): AsyncGenerator<Buffer> {
    const inOrder = [...pieces].sort((a, b) => a.index - b.index);
    const first = Math.floor(from / pieceBytes);
    const last = Math.floor(to / pieceBytes);
    for (const { index, digest } of inOrder.slice(first, last + 1)) {
      const blob = await unavailableAs(() => this.blobs.get(orgId, digest));
      if (!blob) throw storageUnavailable();
      const start = index * pieceBytes;
      const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength).subarray(nonceBytes);
      yield bytes.subarray(Math.max(0, from - start), Math.min(bytes.length, to - start + 1));
    }
  }

  /**
   * All bytes of a file that fits into memory; null when the store has lost a piece. Rejects with `StoreUnavailable`.
   */
  async whole(orgId: string, pieces: readonly Piece[]): Promise<Buffer | null> {
    const inOrder = [...pieces].sort((a, b) => a.index - b.index);
    const parts: Uint8Array[] = [];
    for (const { digest } of inOrder) {
      const blob = await this.blobs.get(orgId, digest);
      if (!blob) return null;
      parts.push(blob.subarray(nonceBytes));
    }
    return Buffer.concat(parts);
  }

  /**
   * The same bytes of a file as a piece of another upload, behind its random bytes.
   *
   * Refuses  artifact_storage_unavailable when the store does not answer or has lost the piece.
   */
  async renewed(
    orgId: string,
    { index, digest, bytes: size }: Piece,
    nonce: Uint8Array,
  ): Promise<{ piece: Piece; bytes: Uint8Array }> {
    const blob = await unavailableAs(() => this.blobs.get(orgId, digest));
    if (!blob) throw storageUnavailable();
    const bytes = Buffer.concat([nonce, blob.subarray(nonceBytes)]);
    return { piece: { index, digest: sha256Hex(bytes), bytes: size }, bytes };
  }

  /** Removes the pieces from the store. Rejects with `StoreUnavailable` when it does not answer. */
  async remove(orgId: string, pieces: readonly Piece[]): Promise<void> {
    const waiting = [...pieces];
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await this.blobs.remove(orgId, next.digest);
    };
    await Promise.all(Array.from({ length: Math.min(removalsAtOnce, waiting.length) }, worker));
  }
}

async function unavailableAs<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw storageUnavailable();
    throw error;
  }
}

function storageUnavailable(): Refusal {
  return new Refusal('artifact_storage_unavailable', {}, 'the storage of artifacts does not answer, try again');
}
