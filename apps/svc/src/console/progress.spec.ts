import { PassThrough } from 'node:stream';
import type { Io } from './io.js';
import { withProgress } from './progress.js';

function ioWith(isTTY: boolean): { io: Io; shown: () => string } {
  const error = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const io: Io = { input: new PassThrough(), out: new PassThrough(), error, env: {} };
  return { io, shown: () => (error.read() as Buffer | null)?.toString() ?? '' };
}

describe('progress', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is shown on a terminal once the work takes longer than a second, and goes with its end', async () => {
    const { io, shown } = ioWith(true);
    let finish: (value: string) => void = () => undefined;
    const work = withProgress(io, 'rows', (count) => {
      count(3);
      return new Promise<string>((resolve) => (finish = resolve));
    });
    await jest.advanceTimersByTimeAsync(999);
    expect(shown()).toBe('');
    await jest.advanceTimersByTimeAsync(1_500);
    expect(shown()).toContain('rows: 3');
    finish('done');
    expect(await work).toBe('done');
  });

  it('is not shown elsewhere', async () => {
    const { io, shown } = ioWith(false);
    const work = withProgress(io, 'rows', () => new Promise<void>((resolve) => setTimeout(resolve, 5_000)));
    await jest.advanceTimersByTimeAsync(5_000);
    await work;
    expect(shown()).toBe('');
  });
});
