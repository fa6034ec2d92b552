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

/** One thing that can happen to a stream: its kind, and the pure function that decides it. */
export interface DeciderEntry<S, E extends AnyEvent, C> {
  readonly kind: StreamKind<S, E>;
  readonly decide: (command: C, state: S, revision: number) => readonly E[];
}

/**
 * The table of contents of a kind of stream: all that can happen to it, by name.
 *
 * Takes    the kind, and its decide functions `(command, state, revision) => events`.
 * Gives    an entry for each, which `Decisions.decide` takes.
 */
export function decider<
  S,
  E extends AnyEvent,
  F extends Record<string, (command: never, state: S, revision: number) => readonly E[]>,
>(kind: StreamKind<S, E>, functions: F): { readonly [N in keyof F]: DeciderEntry<S, E, Parameters<F[N]>[0]> } {
  const entries = Object.entries(functions).map(([name, decide]) => [name, { kind, decide }]);
  return Object.freeze(Object.fromEntries(entries)) as { [N in keyof F]: DeciderEntry<S, E, Parameters<F[N]>[0]> };
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
