import type { StreamKind } from '@aos/kernel';
import {
  invocationEvents,
  type InvocationEnd,
  type InvocationEvent,
  type InvocationOpening,
} from './invocation.events.js';

/** Stream `invocation-<id without prefix>`. Input and output stay in its events. */
export interface InvocationState {
  readonly opening: InvocationOpening | null;
  /** Of action and input: what a repeated key must bring again. */
  readonly digest: string | null;
  /** Processes that tried it. */
  readonly runs: number;
  readonly end: InvocationEnd | null;
}

function evolve(state: InvocationState, event: InvocationEvent): InvocationState {
  switch (event.type) {
    case 'InvocationStarted':
      return { ...state, opening: event.data.opening, digest: event.data.digest, runs: 1 };
    case 'InvocationTakenOver':
      return { ...state, runs: event.data.run };
    case 'InvocationFinished':
      return { ...state, end: event.data.end };
    case 'InvocationRecorded':
      return { ...state, opening: event.data.opening, runs: 1, end: event.data.end };
    default:
      return unreachable(event);
  }
}

function unreachable(event: never): never {
  throw new Error(`not folded: ${JSON.stringify(event)}`);
}

export const invocationKind: StreamKind<InvocationState, InvocationEvent> = {
  category: 'invocation',
  events: invocationEvents,
  initial: () => ({ opening: null, digest: null, runs: 0, end: null }),
  evolve,
  stateVersion: 1,
  notifies: true,
};
