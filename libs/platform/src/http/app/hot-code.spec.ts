import type { ServerResponse } from 'node:http';
import { EventEmitter } from 'node:events';
import * as v8 from 'node:v8';
import { InFlight } from '../server/in-flight.js';
import { compileSoonerOnceServing } from './hot-code.js';

jest.mock('node:v8', () => ({ setFlagsFromString: jest.fn() }));
const flags = jest.mocked(v8.setFlagsFromString);

beforeEach(() => {
  flags.mockReset();
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const flag = '--invocation-count-for-turbofan=300';

function started(): InFlight {
  const inFlight = new InFlight();
  compileSoonerOnceServing({ inFlight });
  return inFlight;
}

function serve(inFlight: InFlight, requests: number): void {
  for (let request = 0; request < requests; request += 1) inFlight.began(new EventEmitter() as ServerResponse);
}

it('hot code is compiled sooner once a process has served 50 requests, and not before', () => {
  const inFlight = started();
  serve(inFlight, 49);
  expect(flags).not.toHaveBeenCalled();
  serve(inFlight, 1_000);
  jest.advanceTimersByTime(600_000);
  expect(flags.mock.calls).toEqual([[flag]]);
});

it('or once it has run for two minutes', () => {
  const inFlight = started();
  jest.advanceTimersByTime(119_999);
  expect(flags).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  serve(inFlight, 1_000);
  expect(flags.mock.calls).toEqual([[flag]]);
});
