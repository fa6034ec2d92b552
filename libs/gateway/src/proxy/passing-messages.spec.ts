import { PassingMessages } from './passing-messages.js';

/** One frame of a server. */
function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 126) head[1] = length;
  else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

const [text, pong, begun, goesOn] = [0x81, 0x8a, 0x01, 0x80];
const word = Buffer.from('{"type":"error"}');
const said = Buffer.concat([
  frame(text, word),
  frame(0x88, Buffer.concat([Buffer.from([0x03, 0xf0]), Buffer.from('revoked')])),
]);
const first = frame(text, Buffer.from('hello'));
const second = Buffer.concat([
  frame(begun, Buffer.alloc(300, 'a')),
  frame(pong, Buffer.alloc(0)),
  frame(goesOn, Buffer.alloc(70_000, 'b')),
]);
const third = frame(text, Buffer.from('never seen'));

/** What comes out when the end is asked for after so many bytes, and the rest comes in chunks of a size. */
async function passed(before: number, size: number): Promise<Buffer> {
  const messages = new PassingMessages({ highWaterMark: 1024 * 1024 });
  const all = Buffer.concat([first, second, third]);
  if (before > 0) messages.write(all.subarray(0, before));
  messages.finish(word);
  messages.finish(Buffer.from('said once'));
  for (let at = before; at < all.length; at += size) messages.write(all.subarray(at, at + size));
  const chunks: Buffer[] = [];
  for await (const chunk of messages as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the last word through the door', () => {
  it.each([
    ['before anything', 0, [said]],
    ['after a message', first.length, [first, said]],
    ['in the middle of a header', first.length + 1, [first, second, said]],
    ['within a message of several frames', first.length + 350, [first, second, said]],
    ['between two frames of a message', first.length + 304, [first, second, said]],
  ])('%s is said between two messages, and nothing comes after it', async (_when, before, expected) => {
    for (const size of [1, 7, 65_536, 1_000_000])
      expect((await passed(before, size)).equals(Buffer.concat(expected))).toBe(true);
  });

  it('lets everything through as it is until then', async () => {
    const messages = new PassingMessages();
    messages.end(Buffer.concat([first, third]));
    const chunks: Buffer[] = [];
    for await (const chunk of messages as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(Buffer.concat([first, third]));
  });
});
