import { createHash, randomBytes } from 'node:crypto';
import { nonceBytes, pieceBytes } from '../artifact/artifact.limits.js';
import type { Piece } from '../artifact/artifact.events.js';
import { PieceWriter } from './piece-writer.js';

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('rule TE2: a file in pieces', () => {
  it('cuts at 4 MiB wherever its chunks end, and each piece begins with random bytes of its own', async () => {
    const file = randomBytes(2 * pieceBytes + 5);
    const kept: { piece: Piece; bytes: Buffer }[] = [];
    const writer = new PieceWriter(
      () => randomBytes(nonceBytes),
      file.length,
      async (piece, bytes) => {
        kept.push({ piece, bytes: Buffer.from(bytes) });
        expect(piece.digest).toBe(digestOf(bytes));
      },
    );
    for (let at = 0; at < file.length; at += 1_000_003) await writer.take(file.subarray(at, at + 1_000_003));
    await writer.end();
    expect(kept.map(({ piece }) => [piece.index, piece.bytes])).toEqual([
      [0, pieceBytes],
      [1, pieceBytes],
      [2, 5],
    ]);
    expect(Buffer.concat(kept.map(({ bytes }) => bytes.subarray(nonceBytes))).equals(file)).toBe(true);
    expect([writer.bytes, writer.sha256()]).toEqual([file.length, digestOf(file)]);
  });

  it('keeps one piece while the next one fills, and no third', async () => {
    const waiting: (() => void)[] = [];
    const writer = new PieceWriter(
      () => randomBytes(nonceBytes),
      Infinity,
      () => new Promise<void>((kept) => waiting.push(kept)),
    );
    await writer.take(randomBytes(pieceBytes));
    let isSecondTaken = false;
    const second = writer.take(randomBytes(pieceBytes)).then(() => {
      isSecondTaken = true;
    });
    await new Promise((soon) => setImmediate(soon));
    expect([waiting.length, isSecondTaken]).toEqual([1, false]);
    waiting[0]?.();
    await second;
    expect(waiting).toHaveLength(2);
  });

  it('begins no piece after it was stopped', async () => {
    let kept = 0;
    const writer = new PieceWriter(
      () => randomBytes(nonceBytes),
      Infinity,
      async () => {
        kept += 1;
      },
    );
    await writer.take(randomBytes(pieceBytes));
    await writer.stop();
    await expect(writer.take(randomBytes(pieceBytes))).rejects.toThrow('over');
    expect(kept).toBe(1);
  });
});
