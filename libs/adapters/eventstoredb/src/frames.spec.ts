import fc from 'fast-check';
import { Frames, framed } from './frames.js';

function messagesOf(frames: Frames): string[] {
  const messages: string[] = [];
  for (let message = frames.next(); message; message = frames.next()) messages.push(message.toString('hex'));
  return messages;
}

/** Bytes in pieces that end at these places. */
function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...places, bytes.length].map((place, n) => bytes.subarray(places[n - 1] ?? 0, place));
}

test('every message comes out as it went in, wherever its bytes are cut and whenever it is asked for', () => {
  const messages = fc.array(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 20 },
  );
  const asks = fc.array(fc.boolean(), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(messages, fc.array(fc.nat({ max: 10_000 }), { maxLength: 30 }), asks, (sent, cuts, asked) => {
      const frames = new Frames();
      const seen: string[] = [];
      cutAt(Buffer.concat(sent.map(framed)), cuts).forEach((piece, n) => {
        frames.add(piece);
        if (asked[n % asked.length]) seen.push(...messagesOf(frames));
      });
      seen.push(...messagesOf(frames));
      expect(seen).toEqual(sent.map((message) => message.toString('hex')));
      expect(frames.isEmpty).toBe(true);
    }),
  );
});

test('a message of many pieces is put together once', () => {
  const concat = jest.spyOn(Buffer, 'concat');
  try {
    const frames = new Frames();
    const bytes = framed(Buffer.alloc(1024 * 1024, 7));
    concat.mockClear();
    const seen: number[] = [];
    for (let at = 0; at < bytes.length; at += 16_384) {
      frames.add(bytes.subarray(at, at + 16_384));
      const message = frames.next();
      if (message) seen.push(message.length);
    }
    expect(seen).toEqual([1024 * 1024]);
    expect(concat).toHaveBeenCalledTimes(1);
  } finally {
    concat.mockRestore();
  }
});

test('a message that is packed or too large is refused, and one that is cut is seen', () => {
  const packed = new Frames();
  packed.add(Buffer.from([1, 0, 0, 0, 0]));
  expect(() => packed.next()).toThrow(/packed/);
  const large = new Frames();
  large.add(Buffer.from([0, 2, 0, 0, 0]));
  expect(() => large.next()).toThrow(/too large/);
  const cut = new Frames();
  cut.add(Buffer.from([0, 0, 0, 0, 2, 7]));
  expect([cut.next(), cut.isEmpty]).toEqual([null, false]);
});
