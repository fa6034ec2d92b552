import { types } from 'node:util';
import type { StreamKind } from '../decider.js';
import type { AnyEvent } from '../events.js';

const mapWrites = ['set', 'delete', 'clear'];
const setWrites = ['add', 'delete', 'clear'];

/** Freezes plain data at any depth, maps and sets too: a write to it throws. Gives the same value. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (types.isMap(value) || types.isSet(value)) {
    for (const write of types.isMap(value) ? mapWrites : setWrites)
      Object.defineProperty(value, write, { value: refused(write) });
    for (const entry of value) frozen(entry);
  } else {
    for (const inner of Object.values(value)) frozen(inner);
  }
  return Object.freeze(value);
}

function refused(write: string): () => never {
  return () => {
    throw new TypeError(`${write} on a frozen collection: a state is a value`);
  };
}

/**
 * As `fold`, with every state and every event frozen: a fold that changes what it was given throws (ADR 18).
 *
 * Takes    events, which are copied, and the state and revision to start from.
 */
export function foldFrozen<S, E extends AnyEvent>(
  kind: StreamKind<S, E>,
  events: Iterable<E>,
  state: S = kind.initial(),
  fromRevision = -1,
): S {
  let revision = fromRevision;
  let current = frozen(state);
  for (const event of events) {
    revision += 1;
    current = frozen(kind.evolve(current, frozen(structuredClone(event)), revision));
  }
  return current;
}
