import { createHash, type Hash } from 'node:crypto';
import { sha256Hex } from '@aos/kernel';
import { nonceBytes, pieceBytes } from '../artifact/artifact.limits.js';
import type { Piece } from '../artifact/artifact.events.js';

/** What is done with a piece that is full: it is named in the log, then put. */
export type KeepPiece = (piece: Piece, bytes: Uint8Array) => Promise<void>;

/**
 * Cuts a file into pieces. Two pieces are in memory at most: one is kept while the next one fills (rule TE2).
 *
 * Takes    random bytes, how many bytes are expected at most, and what keeps a piece; null: the file is only digested.
 */
export class PieceWriter {
  private readonly hash: Hash = createHash('sha256');
  private readonly pieceMax: number;
  private readonly spare: Buffer[] = [];
  private filling: Buffer | null = null;
  private filled = 0;
  private index = 0;
  private keeping: Promise<void> = Promise.resolve();
  private total = 0;
  private isStopped = false;

  constructor(
    private readonly nonce: () => Uint8Array,
    expectedBytes: number,
    private keep: KeepPiece | null,
  ) {
    this.pieceMax = Math.min(pieceBytes, Math.max(1, expectedBytes));
  }

  get bytes(): number {
    return this.total;
  }

  /** Of the file, in hex; asked once, after `end`. */
  sha256(): string {
    return this.hash.digest('hex');
  }

  /** Resolves when more can be taken. Rejects with what kept a piece from being kept. */
  async take(chunk: Buffer): Promise<void> {
    this.hash.update(chunk);
    this.total += chunk.length;
    if (!this.keep) return;
    for (let at = 0; at < chunk.length && this.keeps();) {
      this.filling ??= this.emptyPiece();
      const taken = chunk.copy(this.filling, nonceBytes + this.filled, at, at + this.pieceMax - this.filled);
      at += taken;
      this.filled += taken;
      if (this.filled === this.pieceMax) await this.hand();
    }
  }

  /** From here on the file is only digested. */
  keepNothing(): void {
    this.keep = null;
    this.filling = null;
    this.spare.length = 0;
  }

  /** Resolves when every piece is durable. */
  async end(): Promise<void> {
    if (this.keep && this.filled > 0) await this.hand();
    await this.keeping;
  }

  /** Begins no more pieces. Resolves when none is being kept any more, whether it could be or not. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.keeping.catch(() => undefined); // the fault was given to `take` or `end`
  }

  private keeps(): boolean {
    return this.keep !== null;
  }

  /** Waits for the piece before, then hands this one over and goes on. */
  private async hand(): Promise<void> {
    const { filling, filled, index, keep } = this;
    if (!filling || !keep) return;
    this.filling = null;
    this.filled = 0;
    this.index += 1;
    await this.keeping;
    if (this.isStopped) throw new Error('the upload is over');
    const bytes = filling.subarray(0, nonceBytes + filled);
    this.keeping = keep({ index, digest: sha256Hex(bytes), bytes: filled }, bytes).then(() => {
      this.spare.push(filling);
    });
    this.keeping.catch(() => undefined); // `take` and `end` wait for it
  }

  private emptyPiece(): Buffer {
    const piece = this.spare.pop() ?? Buffer.allocUnsafeSlow(nonceBytes + this.pieceMax);
    piece.set(this.nonce(), 0);
    return piece;
  }
}
