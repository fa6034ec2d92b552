import { setFlagsFromString } from 'node:v8';
import type { Core } from './core.js';

/** Calls of a function after which V8's last compiler may take it; V8's own number is 3,000. */
const callsMin = 300;
/** Requests after which a process counts as one that serves: what its start ran is compiled as V8 sees fit. */
const requestsMin = 50;
/** So does a process that has run for so long, whatever it does: a relay has few requests. */
const runningMs = 120_000;

/**
 * Has hot code compiled well sooner, once the process serves (ADR 70). The flag holds for every thread. It is set
 * behind the start, which would get dearer by it.
 */
export function compileSoonerOnceServing({ inFlight }: Pick<Core, 'inFlight'>): void {
  let isSooner = false;
  const compileSooner = () => {
    clearTimeout(timer);
    if (!isSooner) setFlagsFromString(`--invocation-count-for-turbofan=${callsMin}`);
    isSooner = true;
  };
  const timer = setTimeout(compileSooner, runningMs).unref();
  inFlight.afterRequests(requestsMin, compileSooner);
}
