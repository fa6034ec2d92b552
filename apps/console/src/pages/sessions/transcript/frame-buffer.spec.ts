import { FrameBuffer } from './frame-buffer';

const frame = (id: string) => ({ id, data: { event_type: 'stream.ready' } }) as never;

describe('the buffer of raw frames', () => {
  it('keeps the newest frames, numbered over all that came', () => {
    const buffer = new FrameBuffer(2);
    for (let index = 1; index <= 9; index += 1) buffer.add(frame(`c${index}`), index);
    buffer.flush();
    expect(buffer.kept.map(({ id, number, at }) => [id, number, at])).toEqual([
      ['c8', 8, 8],
      ['c9', 9, 9],
    ]);
  });

  it('gives the same array until a flush has new frames, and calls back then', () => {
    const buffer = new FrameBuffer();
    let calls = 0;
    buffer.subscribe(() => (calls += 1));
    buffer.add(frame('c1'), 1);
    expect(buffer.kept).toEqual([]);
    buffer.flush();
    const before = buffer.kept;
    buffer.flush();
    expect(buffer.kept).toBe(before);
    expect(calls).toBe(1);
  });
});
