import { decider, type AnyEvent, type DeciderEntry, type StreamKind } from '@aos/kernel';
import { finishCreation } from './definition.decide.js';
import type { Named } from './definition.events.js';
import type { DefinitionEvent, DefinitionKind, DefinitionState } from './definition.state.js';
import { recordJudged } from './judged.decide.js';

/** An entry of a definition's decider. */
export interface DefinitionEntry<D extends Named, E extends DefinitionEvent<D>, C> extends DeciderEntry<
  DefinitionState<D>,
  E,
  C
> {
  readonly kind: DefinitionKind<D, E>;
}

/** As `decider`, for a definition: its entries have the definition's kind. */
export function definitionDecider<
  D extends Named,
  E extends DefinitionEvent<D>,
  F extends Record<string, (command: never, state: DefinitionState<D>, revision: number) => readonly E[]>,
>(kind: DefinitionKind<D, E>, functions: F) {
  return decider(kind, functions) as { readonly [N in keyof F]: DefinitionEntry<D, E, Parameters<F[N]>[0]> };
}

/** What can happen to a definition of any type: its creation, which a claimed name carries. */
export function creationDecider<D extends Named, E extends DefinitionEvent<D>>(kind: DefinitionKind<D, E>) {
  return definitionDecider(kind, { finishCreation: finishCreation<D, E> });
}

/** What can happen to any stream whose commands are judged before the write. */
export function judgedDecider<S, E extends AnyEvent>(kind: StreamKind<S, E>) {
  return decider(kind, { recordJudged: recordJudged<E> });
}
