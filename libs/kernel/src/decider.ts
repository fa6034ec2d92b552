import type { AnyEvent, EventDeclarations } from './events.js';

/**
 * A kind of stream: what can have happened on it and how that folds into a state.
 *
 * A state is a value. `evolve` gives the next state and changes nothing that it was given; unchanged parts may be
 * shared. A state may be kept across any `await` (ADR 18). `evolve` is pure: no clock, no randomness, no I/O. Decide
 * functions are plain functions `(command, state) => events`; they throw a `Refusal` or give `[]` when nothing is to be
 * written.
 */
export interface StreamKind<S, E extends AnyEvent> {
  /** Stream names are `<category>-<id>`; lower case, no `-` in the id. */
  readonly category: string;
  readonly events: EventDeclarations;
  initial(): S;
  evolve(state: S, event: E, revision: number): S;
  /** Changes whenever the shape of the state does; part of the snapshot key. */
  readonly stateVersion: number;
  /** A snapshot every so many events; 0 or absent: never. */
  readonly snapshotEvery?: number;
  /** Whether writers publish the new revision on the live bus, on the channel `ring:<stream>`. */
  readonly notifies?: boolean;
}

/** Folds events from a state at `fromRevision` (exclusive; -1 is the empty stream). */
export function fold<S, E extends AnyEvent>(
  kind: StreamKind<S, E>,
  events: Iterable<E>,
  state: S = kind.initial(),
  fromRevision = -1,
): S {
  let revision = fromRevision;
  let current = state;
  for (const event of events) {
    revision += 1;
    current = kind.evolve(current, event, revision);
  }
  return current;
}
