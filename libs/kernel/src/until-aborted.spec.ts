import { getEventListeners } from 'node:events';
import { untilAborted } from './until-aborted.js';

const reason = new Error('it must end');

it('gives what the work gives, or its fault, and leaves no listener', async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve('done'), signal)).resolves.toBe('done');
  await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('rejects with the reason once the signal is aborted; a fault of the work behind it is heard by nothing', async () => {
  const abort = new AbortController();
  let fail = (): void => undefined;
  const work = new Promise<never>((_, reject) => {
    fail = () => {
      reject(new Error('late'));
    };
  });
  const waiting = untilAborted(work, abort.signal);
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  fail();
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
});

it('waits for nothing when the signal is aborted already', async () => {
  await expect(untilAborted(new Promise(() => undefined), AbortSignal.abort(reason))).rejects.toBe(reason);
});
